import { describe, expect, it } from 'vitest';
import { getEntry } from '../../../src/lib/ordered-map.ts';
import { bundleFile, createIngressRenderer } from '../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../fixtures/kube-objects.ts';

const name = 'shop_echo_80';
const objects = [
  ingressClass(),
  service(),
  endpointSlice({ endpoints: ['10.0.0.1'] }),
  ingress({ rules: [{ host: 'a.example', paths: ['/'] }] }),
];

describe('the extension points of the shipped libraries', () => {
  it('hand a backend to what is hung into it; who prints nothing leaves it as it was', () => {
    const plain = createIngressRenderer();
    plain.put(...objects);
    const before = getEntry(plain.bundle().plan.backends, name);
    expect(before?.shape).toBe('dynamic');

    const picky = createIngressRenderer({
      snippets: {
        'backend-directives-500-mine':
          '{{#if (eq backend.name "other")}}http-request set-header x-backend {{backend.name}}{{/if}}',
      },
    });
    picky.put(...objects);
    expect(getEntry(picky.bundle().plan.backends, name)).toStrictEqual(before);

    const all = createIngressRenderer({
      snippets: {
        'backend-directives-500-mine': 'http-request set-header x-backend {{backend.name}}',
      },
    });
    all.put(...objects);
    expect(getEntry(all.bundle().plan.backends, name)).toMatchObject({
      shape: 'structural',
      text: expect.stringContaining(`    http-request set-header x-backend ${name}\n`) as string,
    });
  });

  it('have a place for sections of other kinds before the frontends', () => {
    const renderer = createIngressRenderer({
      snippets: {
        'global-top-100-users': 'userlist admins\n    user root insecure-password x\n',
      },
    });
    const text = bundleFile(renderer.bundle(), 'haproxy.cfg');
    const at = text.indexOf('\nuserlist admins\n');
    expect(at).toBeGreaterThan(text.indexOf('\ndefaults haptic-http'));
    expect(at).toBeLessThan(text.indexOf('\nfrontend status'));
  });
});
