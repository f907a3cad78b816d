import type { Collection, Graph } from '../../collections/types.ts';
import type { TrustUse } from '../tls/trust-use.ts';
import { annotationField } from './annotation-field.ts';
import type { ObjectSettings } from './create-policies.ts';

/**
 * The Secrets of authorities that objects name, and those of certificates that servers are shown; each is in the namespace of its object.
 *
 * @param name of the kind of objects, for collections
 */
export function createTrustUses(
  graph: Graph,
  name: string,
  settings: Collection<ObjectSettings>,
): { readonly authorities: Collection<TrustUse>; readonly identities: Collection<TrustUse> } {
  const authorities = graph.flatMapEntries(`${name}.authorities`, settings, (object, key) => {
    const { authTlsSecret, authTlsVerifyClient, secureVerifyCaSecret } = object.fields;
    return [
      ...(authTlsSecret === undefined || authTlsVerifyClient === 'off'
        ? []
        : [[`${name} ${key} clients`, useOf(object, authTlsSecret, 'auth-tls-secret', closed)] as const]),
      ...(secureVerifyCaSecret === undefined || secureVerifyCaSecret === '@system-ca'
        ? []
        : [
            [
              `${name} ${key} servers`,
              useOf(object, secureVerifyCaSecret, 'secure-verify-ca-secret', unsafe),
            ] as const,
          ]),
    ];
  });
  const identities = graph.flatMapEntries(`${name}.identities`, settings, (object, key) => {
    const { secureCrtSecret } = object.fields;
    return secureCrtSecret === undefined
      ? []
      : [[`${name} ${key}`, useOf(object, secureCrtSecret, 'secure-crt-secret', unsafe)] as const];
  });
  return { authorities, identities };
}

const closed = 'nobody is let in until it is mended';
const unsafe = 'its servers get no traffic until it is mended';

function useOf({ owner }: ObjectSettings, name: string, key: string, effect: string): TrustUse {
  return { secret: { namespace: owner.namespace, name }, owner, field: annotationField(key), effect };
}
