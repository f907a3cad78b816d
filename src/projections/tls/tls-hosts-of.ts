import type { TlsHost } from '../model.ts';
import type { ServedHost } from './create-tls-hosts.ts';

/** What is said of a host, and of those that it covers. One without a certificate of its own does nothing that nobody says of it. */
export function tlsHostsOf({ host, covers, settings, owner, isBare }: ServedHost): readonly TlsHost[] {
  const bare = isBare === true ? { sslRedirect: false, hsts: false } : {};
  const said = settings === undefined ? bare : { ...bare, ...saidOf(settings) };
  return [host, ...covers].map((group) => ({ group, owner, ...said }));
}

function saidOf({
  sslRedirect,
  sslRedirectCode,
  hsts,
  hstsMaxAge,
  hstsIncludeSubdomains,
  hstsPreload,
}: NonNullable<ServedHost['settings']>): Omit<TlsHost, 'group' | 'owner'> {
  return {
    ...(sslRedirect === undefined ? {} : { sslRedirect }),
    ...(sslRedirectCode === undefined ? {} : { sslRedirectCode }),
    ...(hsts === undefined ? {} : { hsts }),
    ...(hstsMaxAge === undefined ? {} : { hstsMaxAge }),
    ...(hstsIncludeSubdomains === undefined ? {} : { hstsIncludeSubdomains }),
    ...(hstsPreload === undefined ? {} : { hstsPreload }),
  };
}
