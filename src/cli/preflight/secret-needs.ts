import { flagsOfContainer } from '../flags-of-container.ts';
import { containersOf, record, records } from '../fields.ts';
import type { Manifest } from './manifest.ts';
import { workloadsOf } from './workload.ts';

/** A Secret that something of the chart reads. */
export interface SecretNeed {
  readonly namespace: string;
  readonly name: string;
  /** Keys that must be in it; empty: it must only be there. */
  readonly keys: readonly string[];
  readonly kind: 'any' | 'tls' | 'registry';
  /** Who reads it: `Deployment haptic/haptic-controller`. */
  readonly by: string;
}

/** Secrets that pods and configuration of a rendered chart name, those apart that may be missing. */
export function secretNeeds(manifests: readonly Manifest[], namespace: string): readonly SecretNeed[] {
  const needs: SecretNeed[] = [];
  for (const { name: by, template, manifest } of workloadsOf(manifests)) {
    const where = manifest.metadata.namespace ?? namespace;
    const need = (name: unknown, keys: readonly unknown[], kind: SecretNeed['kind'] = 'any'): void => {
      if (typeof name === 'string' && name !== '')
        needs.push({ namespace: where, name, keys: keys.map(String), kind, by });
    };
    for (const { name } of records(template.spec['imagePullSecrets'])) need(name, [], 'registry');
    for (const volume of records(template.spec['volumes'])) {
      const { secretName, optional, items } = record(volume['secret']);
      if (optional !== true) need(secretName, keysOf(items), kindOf(keysOf(items)));
      for (const source of records(record(volume['projected'])['sources'])) {
        const { name, optional: isOptional, items: listed } = record(source['secret']);
        if (isOptional !== true) need(name, keysOf(listed), kindOf(keysOf(listed)));
      }
    }
    for (const container of containersOf(template.spec)) {
      for (const { valueFrom } of records(container['env'])) {
        const { name, key, optional } = record(record(valueFrom)['secretKeyRef']);
        if (optional !== true) need(name, [key]);
      }
      for (const { secretRef } of records(container['envFrom'])) {
        const { name, optional } = record(secretRef);
        if (optional !== true) need(name, []);
      }
    }
  }
  return [...needs, ...manifests.flatMap((manifest) => ofConfiguration(manifest, namespace))];
}

/**
 * Secrets that will be there although nobody has made them: those of the chart itself, of cert-manager, and those that the program issues
 * (`--server-secret`, `--webhook-secret` and so on of its containers).
 */
export function madeSecrets(manifests: readonly Manifest[]): ReadonlySet<string> {
  const made = new Set<string>();
  for (const { kind, metadata, spec } of manifests) {
    if (kind === 'Secret') made.add(metadata.name);
    const { secretName } = record(spec);
    if (kind === 'Certificate' && typeof secretName === 'string') made.add(secretName);
  }
  for (const { template } of workloadsOf(manifests))
    for (const container of containersOf(template.spec)) {
      const flags = flagsOfContainer(container);
      for (const flag of [
        'issuer-secret',
        'server-secret',
        'client-secret',
        'webhook-secret',
        'self-signed-secret',
      ]) {
        const name = flags.get(flag);
        if (name !== undefined) made.add(name).add(`${name}-issuer`);
      }
    }
  return made;
}

function ofConfiguration({ kind, metadata, spec }: Manifest, namespace: string): readonly SecretNeed[] {
  if (kind !== 'HAProxyTemplateConfig') return [];
  const by = `HAProxyTemplateConfig ${metadata.name}`;
  const { credentialsSecretRef, controller } = record(spec);
  const { name, namespace: where } = record(credentialsSecretRef);
  const certificate = record(record(controller)['defaultSSLCertificate']);
  return [
    ...(typeof name === 'string'
      ? [
          {
            namespace: typeof where === 'string' ? where : namespace,
            keys: ['dataplane_username', 'dataplane_password'],
            ...{ name, kind: 'any' as const, by },
          },
        ]
      : []),
    ...(typeof certificate['name'] === 'string'
      ? [
          {
            namespace: typeof certificate['namespace'] === 'string' ? certificate['namespace'] : namespace,
            keys: ['tls.crt', 'tls.key'],
            ...{ name: certificate['name'], kind: 'tls' as const, by },
          },
        ]
      : []),
  ];
}

function keysOf(items: unknown): readonly string[] {
  return records(items).map(({ key }) => String(key));
}

function kindOf(keys: readonly string[]): SecretNeed['kind'] {
  return keys.includes('tls.crt') && keys.includes('tls.key') ? 'tls' : 'any';
}
