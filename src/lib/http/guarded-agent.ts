import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { CodedError } from '../coded-error.ts';
import { addressRefusal } from './address-refusal.ts';

/** All addresses of a host, as `dns.lookup` with `all`. */
export type ResolveHost = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface GuardedAgentOptions {
  readonly allowPrivate: boolean;
  /** For tests. Default: the system's resolver. */
  readonly resolve?: ResolveHost;
  /** PEM of further authorities, for tests. */
  readonly ca?: string;
}

const connectTimeout = 10_000;
const keepAlive = 4_000;
const maxConnections = 8;

/**
 * A connection pool that reaches no address that is refused. The check is made where the connection is: of the address that a name
 * has at that moment, for every connection, so that neither a redirect nor a name that changes its address leads around it. Of a
 * name with several addresses the others are used.
 *
 * Connections fail with `HAPTIC_ERR_HTTP_ADDRESS`. HTTP/1.1 only.
 */
export function guardedAgent({ allowPrivate, resolve = lookupAll, ca }: GuardedAgentOptions): Agent {
  const connect = buildConnector({
    allowH2: false,
    timeout: connectTimeout,
    lookup: guardedLookup(resolve, allowPrivate),
    ...(ca !== undefined && { ca }),
  });
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    pipelining: 1,
    keepAliveTimeout: keepAlive,
    connect: (options, done) => {
      const literal = options.hostname.replace(/^\[|\]$/g, '');
      const refusal = isIP(literal) === 0 ? undefined : addressRefusal(literal, allowPrivate);
      if (refusal === undefined) connect(options, done);
      else done(refused(refusal), null);
    },
  });
}

function guardedLookup(resolve: ResolveHost, allowPrivate: boolean): LookupFunction {
  return (host, options, done) =>
    resolve(host, (error, addresses) => {
      const judged = addresses.map((found) => ({
        found,
        refusal: addressRefusal(found.address, allowPrivate),
      }));
      const usable = judged.filter(({ refusal }) => refusal === undefined).map(({ found }) => found);
      const [first] = usable;
      if (error !== null) done(error, '');
      else if (first === undefined)
        done(
          refused(`${host} has ${judged.map(({ refusal }) => refusal ?? '').join('; ') || 'no address'}`),
          '',
        );
      else if (options.all === true) done(null, usable);
      else done(null, first.address, first.family);
    });
}

function lookupAll(host: string, done: Parameters<ResolveHost>[1]): void {
  lookup(host, { all: true }, (error, addresses) => done(error, error === null ? addresses : []));
}

function refused(why: string): CodedError {
  return new CodedError('HAPTIC_ERR_HTTP_ADDRESS', `nobody is asked there: ${why}`);
}
