import type { Collection, Reader } from '../../collections/types.ts';
import type { CertificateOptions } from '../model.ts';
import type { TrustState } from './create-trust.ts';
import { secretKey } from './secret-key.ts';
import type { TlsSettings } from './tls-settings.ts';

/** What of a host's settings is decided before there is a request, in its entry of the crt-list; undefined: nothing. */
export function optionsOf(
  { clientCa, minVersion, ciphers, ciphersuites }: TlsSettings,
  reader: Pick<Reader, 'read'>,
  trust: Collection<TrustState>,
): CertificateOptions | undefined {
  const state = clientCa && reader.read(trust, secretKey(clientCa));
  const options = {
    ...(state === undefined ? {} : { clients: state }),
    ...(minVersion === undefined ? {} : { minVersion }),
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(ciphersuites === undefined ? {} : { ciphersuites }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}
