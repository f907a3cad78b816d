import { createHash } from 'node:crypto';
import { apiGroup } from '../api/api-group.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { RetainedConfig } from '../protocol/retained-config.ts';
import { kubeClient } from './kube-client.ts';
import { describeFailure, type KubeFailure } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';
import { manager } from './own-object.ts';
import type { PublishedOwner } from './published-object.ts';
import type { PublishedIdentity } from './published-objects.ts';
import type { ResourceRef } from './resource-path.ts';
import {
  type Checkpoint,
  type KnownRetained,
  knownRetained,
  partBytes,
  partManifest,
  partName,
  type RetainedSpec,
  retainedConfigs,
  retainedManifest,
  retainedName,
  retainedSelector,
  retainedSpec,
} from './retained-object.ts';

/** Everything that is there. */
export interface RetainedStock {
  /** The HAProxyCfg whose status names what may be relied on is there. */
  readonly isPublished: boolean;
  /** What that status names; undefined: it was not asked for. */
  readonly promoted?: readonly RetainedConfig[];
  readonly found: readonly KnownRetained[];
  /** Names of Secrets. */
  readonly parts: readonly string[];
  /** Plans that pods are on, as the status has it. */
  readonly podPlans?: readonly string[];
}

/** A retained render as it was read back, its parts verified by their checksums. */
export interface ReadCheckpoint {
  readonly spec: RetainedSpec;
  readonly bytes: Buffer;
}

/** Retained renders in the cluster. All of it rejects with what went wrong, in words. */
export interface RetainedObjects {
  /**
   * @param main name of the HAProxyCfg that shows what runs
   * @param withStatus its status is asked for, and comes with all that it shows
   */
  readonly stock: (main: string, withStatus: boolean, signal: AbortSignal) => Promise<RetainedStock>;
  /** What the status of the HAProxyCfg names, nothing where there is none; it is read again where that has changed. */
  readonly promoted: (main: string, signal: AbortSignal) => Promise<readonly RetainedConfig[]>;
  /** Writes it and reads it back. What has its name already is brought to it. */
  readonly write: (checkpoint: Checkpoint, signal: AbortSignal) => Promise<RetainedConfig>;
  readonly read: (config: RetainedConfig, signal: AbortSignal) => Promise<ReadCheckpoint>;
  /** Deletes the HAProxyCfgs of these, those very ones, and the Secrets of these names. */
  readonly remove: (
    surplus: { readonly configs: readonly RetainedConfig[]; readonly parts: readonly string[] },
    signal: AbortSignal,
  ) => Promise<void>;
}

export function retainedObjects(
  transport: KubeTransport,
  { namespace, name: configuration, isObject }: PublishedIdentity,
): RetainedObjects {
  const client = kubeClient(transport);
  const { apiVersion } = apiGroup;
  const configs = { apiVersion, resources: 'haproxycfgs', namespace };
  const secrets = { apiVersion: 'v1', resources: 'secrets', namespace };
  let last: { readonly version: string; readonly promoted: readonly RetainedConfig[] } | undefined;
  const apply = { fieldManager: manager, force: true };

  const listed = async (ref: ResourceRef, signal: AbortSignal): Promise<readonly KubeObject[]> => {
    const objects: KubeObject[] = [];
    const options = { labelSelector: retainedSelector(configuration), metadataOnly: true, signal };
    for await (const page of client.list(ref, options)) {
      if (!page.ok) throw failed(`list ${ref.resources}`, page.failure);
      objects.push(...page.value.items);
    }
    return objects;
  };

  const read = async (
    { name, uid, planID, checksum }: RetainedConfig,
    signal: AbortSignal,
  ): Promise<ReadCheckpoint> => {
    const found = await client.get(configs, name, { signal });
    if (!found.ok) throw failed(`read HAProxyCfg ${name}`, found.failure);
    const known = knownRetained(found.value.metadata, configuration);
    const spec = retainedSpec(found.value);
    if (known?.uid !== uid || spec?.planID !== planID || known.checksum !== checksum)
      throw new Error(`HAProxyCfg ${name} is not the one that was written`);
    const parts: Buffer[] = [];
    for (const part of spec.parts) {
      const secret = await client.get(secrets, part.name, { signal });
      if (!secret.ok) throw failed(`read Secret ${part.name}`, secret.failure);
      const bytes = partBytes(secret.value);
      if (bytes === undefined || checksumOf(bytes) !== part.checksum)
        throw new Error(`Secret ${part.name} does not hold what was written`);
      parts.push(bytes);
    }
    return { spec, bytes: Buffer.concat(parts) };
  };

  const ownerOf = async (signal: AbortSignal): Promise<PublishedOwner | undefined> => {
    if (!isObject) return undefined;
    const ref = { apiVersion, resources: 'haproxytemplateconfigs', namespace };
    const found = await client.get(ref, configuration, { signal, metadataOnly: true });
    if (!found.ok) throw failed(`read HAProxyTemplateConfig ${configuration}`, found.failure);
    return { kind: 'HAProxyTemplateConfig', name: configuration, uid: found.value.metadata.uid ?? '' };
  };

  return {
    stock: async (main, withStatus, signal) => {
      const found = await listed(configs, signal);
      const parts = await listed(secrets, signal);
      const shown = await client.get(configs, main, { signal, metadataOnly: !withStatus });
      if (!shown.ok && !isNotFound(shown.failure)) throw failed(`read HAProxyCfg ${main}`, shown.failure);
      const status = shown.ok ? shown.value['status'] : undefined;
      return {
        isPublished: shown.ok,
        ...(withStatus && { promoted: retainedConfigs(status), podPlans: podPlansOf(status) }),
        found: found.flatMap(({ metadata }) => knownRetained(metadata, configuration) ?? []),
        parts: parts.map(({ metadata }) => metadata.name),
      };
    },
    promoted: async (main, signal) => {
      const metadata = await client.get(configs, main, { signal, metadataOnly: true });
      if (!metadata.ok && isNotFound(metadata.failure)) return [];
      if (!metadata.ok) throw failed(`read HAProxyCfg ${main}`, metadata.failure);
      const { uid, resourceVersion } = metadata.value.metadata;
      const version = `${uid} ${resourceVersion}`;
      if (last?.version === version) return last.promoted;
      const found = await client.get(configs, main, { signal });
      if (!found.ok) throw failed(`read HAProxyCfg ${main}`, found.failure);
      last = { version, promoted: retainedConfigs(found.value['status']) };
      return last.promoted;
    },
    write: async (checkpoint, signal) => {
      const name = retainedName(configuration, checkpoint);
      const owner = await ownerOf(signal);
      const manifest = retainedManifest(name, checkpoint, { namespace, configuration, owner });
      const written = await client.apply(configs, manifest, { ...apply, signal });
      if (!written.ok) throw failed(`write HAProxyCfg ${name}`, written.failure);
      const { uid = '' } = written.value.metadata;
      const config = { kind: 'HAProxyCfg', name, uid } as const;
      for (const [index, { bytes }] of checkpoint.parts.entries()) {
        const part = partManifest(partName(name, index), bytes, { namespace, configuration, owner: config });
        const stored = await client.apply(secrets, part, { ...apply, signal });
        if (!stored.ok) throw failed(`write Secret ${part.metadata.name}`, stored.failure);
      }
      const { planId: planID, checksum } = checkpoint;
      const retained = { name, uid, planID, checksum };
      await read(retained, signal);
      return retained;
    },
    read,
    remove: async (surplus, signal) => {
      for (const name of surplus.parts) {
        const deleted = await client.delete(secrets, name, { signal });
        if (!deleted.ok && !isNotFound(deleted.failure))
          throw failed(`delete Secret ${name}`, deleted.failure);
      }
      for (const { name, uid } of surplus.configs) {
        const deleted = await client.delete(configs, name, { uid, signal });
        if (!deleted.ok && !isNotFound(deleted.failure))
          throw failed(`delete HAProxyCfg ${name}`, deleted.failure);
      }
    },
  };
}

function podPlansOf(status: unknown): readonly string[] {
  const pods = (status as { readonly deployedToPods?: unknown } | undefined)?.deployedToPods;
  return (Array.isArray(pods) ? pods : []).flatMap(
    ({ appliedPlanID, runningPlanID }: Readonly<Record<string, unknown>>) =>
      [appliedPlanID, runningPlanID].filter((id) => typeof id === 'string'),
  );
}

function checksumOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function failed(what: string, failure: KubeFailure): Error {
  return new Error(`${what}: ${describeFailure(failure)}`);
}

function isNotFound(failure: KubeFailure): boolean {
  return failure.kind === 'http' && failure.status === 404;
}
