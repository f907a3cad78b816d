import { describe, expect, it } from 'vitest';
import { annotatedIngress } from '../../../fixtures/annotated-ingress.ts';
import { bundleFile, createIngressRenderer } from '../../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingressClass, service } from '../../../fixtures/kube-objects.ts';

/** The lines of the only profile that a policy makes. */
function profileOf(annotations: Readonly<Record<string, string>>, libraries?: readonly string[]): string {
  const renderer = createIngressRenderer(libraries && { libraries });
  renderer.put(
    ingressClass(),
    service({ name: 'web' }),
    endpointSlice({ service: 'web', endpoints: ['10.0.0.1'] }),
    annotatedIngress('shop.example.com', annotations),
  );
  const text = bundleFile(renderer.bundle(), 'haproxy.cfg');
  return /^defaults haptic-http-[0-9a-f]{16} .*\n((?: .*\n)*)/m.exec(text)?.[1] ?? '';
}

describe('a policy that no library prints', () => {
  const closed = 'http-request return status 503';

  it('closes its routes where it restricts', () => {
    const annotations = { 'allowlist-source-range': '10.0.0.0/8' };
    expect(profileOf(annotations)).not.toContain(closed);
    expect(profileOf(annotations, ['base', 'ingress'])).toContain(closed);
  });

  it('is without effect where it does not', () => {
    const text = profileOf({ 'timeout-server': '7s' }, ['base', 'ingress']);
    expect(text).not.toBe('');
    expect(text).not.toContain(closed);
  });
});
