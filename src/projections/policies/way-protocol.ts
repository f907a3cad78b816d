import type { SpokenProtocol } from '../endpoints/port-protocols.ts';
import type { ServerSettings } from './server-settings.ts';

/** What a port says, as far as nothing else is said of it: see `serverOptions`, which decides what is spoken. */
export function wayProtocol(
  port: SpokenProtocol | undefined,
  { backendProtocol, secureBackends, secureVerifyCaSecret, secureCrtSecret }: ServerSettings = {},
): SpokenProtocol | undefined {
  if (backendProtocol !== undefined) return undefined;
  if (port === 'h2') return port;
  const isSaid = [secureBackends, secureVerifyCaSecret, secureCrtSecret].some((value) => value !== undefined);
  return isSaid ? undefined : port;
}
