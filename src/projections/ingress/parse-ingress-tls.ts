import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';
import { creationTime } from '../creation-time.ts';
import type { ReportFault } from '../fault.ts';
import { kubernetesName } from '../kubernetes-name.ts';
import { listField } from '../list-field.ts';
import { ownerOf } from '../owner-of.ts';
import { parseHost } from '../parse-host.ts';
import { recordField } from '../record-field.ts';
import { showValue } from '../show-value.ts';
import type { TlsSettings } from '../tls/tls-settings.ts';
import type { TlsUse } from '../tls/tls-use.ts';

/** How often one object may name a host, itself or as one of all: clients are shown one certificate for each type of key. */
const mostTimes = 8;

/**
 * `spec.tls` of an Ingress (unvalidated JSON). What is malformed is reported by field and left out. An entry without hosts is for the hosts
 * of the object's rules; where a rule is for every host, for those of the certificate too. What is made of an object grows with it, and not by its entries times
 * its rules: who writes one may have nothing else in mind.
 *
 * @param settings what else it says of its hosts
 */
export function parseIngressTls(
  ingress: KubeObject,
  settings: TlsSettings | undefined,
  report: ReportFault,
): readonly TlsUse[] {
  const { spec } = ingress;
  const owner = ownerOf('Ingress', ingress);
  // What else is wrong with the object is told where its rules are read.
  if (!isRecord(spec) || !kubernetesName.label(owner.namespace)) return [];
  const created = creationTime(ingress);
  const entries = listField(spec['tls'], 'spec.tls', report) ?? [];
  const said = settings === undefined ? {} : { settings };
  const ofRules = ruleHosts(spec['rules']);
  const below = hostsByParent(ofRules.named);
  const isTooOften = countUpTo(mostTimes);
  const uses = entries.flatMap((value, position): readonly TlsUse[] => {
    const at = `spec.tls[${position}]`;
    const field = `${at}.secretName`;
    const entry = recordField(value, at, report);
    if (entry === undefined) return [];
    const { secretName } = entry;
    const isNamed = secretName !== undefined && secretName !== null && secretName !== '';
    if (isNamed && !kubernetesName.subdomain(secretName)) {
      report({ reason: 'InvalidField', field, message: `must be a Secret's name: ${showValue(secretName)}` });
      return [];
    }
    const listed = listField(entry['hosts'], `${at}.hosts`, report);
    if (listed === undefined) return [];
    if (listed.length === 0 && isTooOften('')) {
      const message = `must have hosts: ${mostTimes} entries are for all hosts of the rules already`;
      report({ reason: 'InvalidField', field: `${at}.hosts`, message });
      return [];
    }
    const hosts = listed.length === 0 ? ofRules : undefined;
    return [
      {
        ...(isNamed ? { secret: { namespace: owner.namespace, name: secretName } } : {}),
        hosts:
          hosts?.named ??
          readHosts(listed, `${at}.hosts`, isTooOften, report).map((host) => covering(host, below)),
        byCertificate: hosts?.hasAny ?? false,
        owner,
        created,
        position,
        field,
        ...said,
      },
    ];
  });
  if (settings === undefined) return uses;
  const named = new Set(uses.flatMap(({ hosts }) => hosts.map(({ host }) => host)));
  const hosts = ofRules.named.filter(({ host }) => !named.has(host));
  if (hosts.length === 0) return uses;
  const position = entries.length;
  const common = { byCertificate: false, owner, created, position, field: 'metadata.annotations' };
  return [...uses, { hosts, ...common, settings, settingsOnly: true }];
}

type UseHost = TlsUse['hosts'][number];

/** A route that names a host below a wildcard of its own object means that host, too. */
function covering(wildcard: UseHost, below: ReadonlyMap<string, readonly string[]>): UseHost {
  const covers = wildcard.host.startsWith('*.') ? below.get(wildcard.host.slice(1)) : undefined;
  return covers === undefined ? wildcard : { ...wildcard, covers };
}

/** By what follows their first label. */
function hostsByParent(hosts: TlsUse['hosts']): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { host } of hosts) {
    if (host.startsWith('*.')) continue;
    const parent = host.slice(host.indexOf('.'));
    const known = found.get(parent);
    if (known === undefined) found.set(parent, [host]);
    else known.push(host);
  }
  return found;
}

function readHosts(
  listed: readonly unknown[],
  at: string,
  isTooOften: (host: string) => boolean,
  report: ReportFault,
): TlsUse['hosts'] {
  const found = new Map<string, UseHost>();
  for (const [i, raw] of listed.entries()) {
    const field = `${at}[${i}]`;
    const host = parseHost(raw);
    if ('fault' in host || host.value.kind === 'any') {
      report({ reason: 'InvalidHost', field, message: 'fault' in host ? host.fault : 'must be set' });
      continue;
    }
    const { group } = host.value;
    if (found.has(group)) continue;
    if (isTooOften(group)) {
      const message = `is named by ${mostTimes} entries already: ${showValue(raw)}`;
      report({ reason: 'InvalidHost', field, message });
    } else found.set(group, { host: group, field });
  }
  return [...found.values()];
}

/** Whether a name has come more often than that. */
function countUpTo(most: number): (name: string) => boolean {
  const times = new Map<string, number>();
  return (name) => {
    const count = (times.get(name) ?? 0) + 1;
    times.set(name, count);
    return count > most;
  };
}

/** The hosts that rules are for; what is wrong with them is told where they are read. */
function ruleHosts(rules: unknown): { readonly named: TlsUse['hosts']; readonly hasAny: boolean } {
  const listed: readonly unknown[] = Array.isArray(rules) ? rules : [];
  const found = listed.flatMap((rule, i) => {
    const host = isRecord(rule) ? parseHost(rule['host']) : { fault: '' };
    return 'value' in host ? [{ host: host.value, field: `spec.rules[${i}].host` }] : [];
  });
  return {
    named: found.flatMap(({ host, field }) => (host.kind === 'any' ? [] : [{ host: host.group, field }])),
    hasAny: found.length === 0 || found.some(({ host }) => host.kind === 'any'),
  };
}
