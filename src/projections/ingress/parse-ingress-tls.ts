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

/**
 * `spec.tls` of an Ingress (unvalidated JSON). What is malformed is reported by field and left out. An entry without hosts is for the hosts
 * of the object's rules; where a rule is for every host, for those of the certificate too.
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
    const ofRules = ruleHosts(spec['rules']);
    const hosts = listed.length === 0 ? ofRules : undefined;
    return [
      {
        ...(isNamed ? { secret: { namespace: owner.namespace, name: secretName } } : {}),
        hosts:
          hosts?.named ??
          readHosts(listed, `${at}.hosts`, report).map((host) => covering(host, ofRules.named)),
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
  const hosts = ruleHosts(spec['rules']).named.filter(({ host }) => !named.has(host));
  if (hosts.length === 0) return uses;
  const position = entries.length;
  const common = { byCertificate: false, owner, created, position, field: 'metadata.annotations' };
  return [...uses, { hosts, ...common, settings, settingsOnly: true }];
}

type UseHost = TlsUse['hosts'][number];

/** A route that names a host below a wildcard of its own object means that host, too. */
function covering(wildcard: UseHost, rules: TlsUse['hosts']): UseHost {
  if (!wildcard.host.startsWith('*.')) return wildcard;
  const covers = rules.flatMap(({ host }) =>
    !host.startsWith('*.') && host.slice(host.indexOf('.')) === wildcard.host.slice(1) ? [host] : [],
  );
  return covers.length === 0 ? wildcard : { ...wildcard, covers };
}

function readHosts(listed: readonly unknown[], at: string, report: ReportFault): TlsUse['hosts'] {
  return listed.flatMap((raw, i) => {
    const field = `${at}[${i}]`;
    const host = parseHost(raw);
    if ('value' in host && host.value.kind !== 'any') return [{ host: host.value.group, field }];
    report({ reason: 'InvalidHost', field, message: 'fault' in host ? host.fault : 'must be set' });
    return [];
  });
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
