import { isIP } from 'node:net';
import type { KubeObject } from '../api/kube-object.ts';
import type { Collection, Graph } from '../collections/types.ts';
import { isRecord } from '../lib/is-record.ts';
import { isPortNumber } from './is-port-number.ts';
import { reportFor } from './report-for.ts';

/** What is to be published as the way to HAProxy. */
export interface Publishing {
  readonly service?: { readonly namespace: string; readonly name: string };
  /** IP addresses and host names; they count in place of the Service's. */
  readonly addresses: readonly string[];
}

/** As `status.loadBalancer.ingress` has it: an address, a host name or both. */
export interface PublishedAddress {
  readonly ip?: string;
  readonly hostname?: string;
  /** What the load balancer says of its ports. */
  readonly ports?: readonly PublishedPort[];
}

interface PublishedPort {
  readonly port: number;
  readonly protocol: string;
  readonly error?: string;
}

export const publishedKey = 'addresses';

/**
 * Where HAProxy can be reached, as one entry: the addresses that are given, else those of the load balancer of the Service, else its
 * `externalIPs`. No entry where there is none, which is reported to the Service.
 */
export function createPublishedAddresses(
  graph: Graph,
  services: Collection<KubeObject>,
  publishing: Publishing,
): Collection<readonly PublishedAddress[]> {
  const wanted = graph.source<Publishing>('publishing');
  wanted.set(publishedKey, publishing);
  return graph.mapEntries(
    'published-addresses',
    wanted,
    ({ service, addresses }, _key, reader) => {
      if (addresses.length > 0) return unique(addresses.map(addressOf));
      if (service === undefined) return undefined;
      const { namespace, name } = service;
      const report = reportFor({ kind: 'Service', namespace, name }, reader);
      const object = reader.read(services, `${namespace}/${name}`);
      if (object === undefined) {
        const message =
          'there is no such Service, which controller.publishService names: no address is published';
        report({ severity: 'warning', reason: 'PublishServiceMissing', field: '', message });
        return undefined;
      }
      const found = unique(addressesOf(object));
      if (found.length > 0) return found;
      const message = 'has no address of a load balancer (yet) and no externalIPs: no address is published';
      report({ severity: 'warning', reason: 'AddressMissing', field: 'status.loadBalancer', message });
      return undefined;
    },
    { reads: [services] },
  );
}

function addressesOf({ spec, status }: KubeObject): readonly PublishedAddress[] {
  const balancer =
    isRecord(status) && isRecord(status['loadBalancer']) ? status['loadBalancer']['ingress'] : [];
  const balanced = listOf(balancer).flatMap((entry): readonly PublishedAddress[] => {
    if (!isRecord(entry)) return [];
    const { ip, hostname } = entry;
    if (!isText(ip) && !isText(hostname)) return [];
    const ports = listOf(entry['ports']).flatMap(portOf);
    return [
      {
        ...(isText(ip) && { ip }),
        ...(isText(hostname) && { hostname }),
        ...(ports.length > 0 && { ports }),
      },
    ];
  });
  if (balanced.length > 0) return balanced;
  return listOf(isRecord(spec) ? spec['externalIPs'] : [])
    .filter(isText)
    .map(addressOf);
}

function portOf(value: unknown): readonly PublishedPort[] {
  if (!isRecord(value)) return [];
  const { port, protocol, error } = value;
  if (!isPortNumber(port) || !isText(protocol)) return [];
  return [{ port, protocol, ...(isText(error) && { error }) }];
}

function addressOf(address: string): PublishedAddress {
  return isIP(address) === 0 ? { hostname: address } : { ip: address };
}

/** Each once, in an order that does not depend on where they come from. */
function unique(addresses: readonly PublishedAddress[]): readonly PublishedAddress[] {
  const byText = new Map(addresses.map((address) => [JSON.stringify(address), address] as const));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
