import { expect, it } from 'vitest';
import { annotatedIngress } from '../../../fixtures/annotated-ingress.ts';
import { bundleFile, createIngressRenderer } from '../../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingressClass, service } from '../../../fixtures/kube-objects.ts';

it('a section of the operator’s that says nothing of it inherits from no profile of a stranger', () => {
  const renderer = createIngressRenderer({
    snippets: {
      'frontends-990-own': '\nlisten own\n    bind 127.0.0.1:1\n',
      'global-top-990-own': '\nbackend early\n',
    },
  });
  renderer.put(
    ingressClass(),
    service({ name: 'web' }),
    endpointSlice({ service: 'web', endpoints: ['10.0.0.1'] }),
    annotatedIngress('shop.example.com', { 'allowlist-source-range': '10.0.0.0/8' }),
  );
  const text = bundleFile(renderer.bundle(), 'haproxy.cfg');
  for (const own of ['\nlisten own', '\nbackend early']) {
    const above = text.slice(0, text.indexOf(own));
    expect(above).toMatch(/\ndefaults haptic-http-[0-9a-f]{16} /);
    expect(above.slice(above.lastIndexOf('\ndefaults '))).toMatch(
      /^\ndefaults haptic-default from haptic-http\n/,
    );
  }
});
