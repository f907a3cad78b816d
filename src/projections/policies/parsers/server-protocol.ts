import type { Parsed } from '../../parsed.ts';
import type { PolicyFields } from '../policy-fields.ts';
import { oneOf } from './one-of.ts';

type Protocol = NonNullable<PolicyFields['backendProtocol']>;

const protocol = oneOf('h1', 'h2', 'h1-ssl', 'h2-ssl');

/** What ingress-nginx calls them. */
const otherNames: Readonly<Record<string, Protocol>> = {
  http: 'h1',
  grpc: 'h2',
  https: 'h1-ssl',
  grpcs: 'h2-ssl',
};

/** The HTTP version that servers speak, in the clear or by TLS, in capitals or not. */
export function serverProtocol(text: string): Parsed<Protocol> {
  const name = text.trim().toLowerCase();
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  return other === undefined ? protocol(protocolNames.has(name) ? name : text) : { value: other };
}

const protocolNames: ReadonlySet<string> = new Set(Object.values(otherNames));
