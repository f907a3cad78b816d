import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describeFailure } from '../../kube/kube-failure.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { valuesOfSecret } from '../../lib/values-of-secret.ts';
import { valuesByName } from './scrub.ts';

export interface CollectedSecrets {
  readonly values: readonly string[];
  /** Why not every Secret of the cluster is among them; what may hold their values must be left out then. */
  readonly incomplete?: string;
}

/** Every value that must not be shown: of all Secrets, of the environment and files of this program, and of the configuration. */
export async function collectSecrets(sources: {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tlsDir?: string;
  /** Headers that the API server gets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly config?: unknown;
}): Promise<CollectedSecrets> {
  const { kube, signal, env, tlsDir, headers, config } = sources;
  const values: string[] = [...valuesByName(config), ...valuesByName(env), ...Object.values(headers)];
  for (const value of Object.values(headers)) values.push(value.replace(/^\S+\s+/, ''));
  if (tlsDir !== undefined && existsSync(path.join(tlsDir, 'tls.key')))
    values.push(readFileSync(path.join(tlsDir, 'tls.key'), 'utf8'));
  let incomplete: string | undefined;
  for await (const page of kube.list({ apiVersion: 'v1', resources: 'secrets' }, { signal })) {
    if (page.ok) values.push(...page.value.items.flatMap(valuesOfSecret));
    else incomplete = describeFailure(page.failure);
  }
  return { values, ...(incomplete !== undefined && { incomplete }) };
}
