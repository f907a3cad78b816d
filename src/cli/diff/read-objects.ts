import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../api/kube-object.ts';
import type { TemplateConfig } from '../../api/template-config.ts';
import type { LibraryFile } from '../../config/library-file.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { readFailure } from '../../lib/read-failure.ts';
import { isRecord } from '../../lib/is-record.ts';
import { kindOf } from '../../validation/kind-of.ts';

/** What files hold: parts of a configuration, and other objects. */
export interface ReadFiles {
  readonly config: readonly LibraryFile[];
  readonly objects: readonly KubeObject[];
}

const group = 'haproxy-haptic.org/';
const configKinds = new Set(['HAProxyTemplateConfig', 'HAProxyTemplateLibrary']);

/**
 * A file, or all `*.yaml`, `*.yml` and `*.json` below a folder in the order of their paths. Documents without a `kind`, and objects that
 * configure HAPTIC, are configuration; lists are taken apart.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_READ` naming the file
 */
export async function readObjects(place: string): Promise<ReadFiles> {
  const config: LibraryFile[] = [];
  const objects: KubeObject[] = [];
  for (const name of await filesOf(place)) {
    const text = await readFile(name, 'utf8').catch((error: unknown) => unreadable(name, readFailure(error)));
    const parts = parseAllDocuments(text, { prettyErrors: true });
    const own: string[] = [];
    let isMixed = false;
    for (const document of parts) {
      const [error] = document.errors;
      if (error !== undefined) unreadable(name, error.message.replace(/:?\n[\s\S]*$/, ''));
      const content: unknown = document.toJS();
      if (content === null || content === undefined) continue;
      if (!isRecord(content)) unreadable(name, 'an object is expected');
      if (!('kind' in content) || isConfig(content)) own.push(document.toString());
      else {
        isMixed = true;
        objects.push(...itemsOf(content).map((item) => objectOf(name, item)));
      }
    }
    // Where all of a file is configuration its text is left as it is, for the lines that errors tell.
    if (own.length > 0) config.push({ name, text: isMixed ? own.join('---\n') : text });
  }
  return { config, objects };
}

/** Objects by the names of the watched resources that they are of, and how many of which kinds are of none. */
export function fixturesOf(
  { watchedResources }: Pick<TemplateConfig, 'watchedResources'>,
  objects: readonly KubeObject[],
): {
  readonly fixtures: Readonly<Record<string, readonly KubeObject[]>>;
  readonly unwatched: readonly string[];
} {
  const fixtures: Record<string, KubeObject[]> = {};
  const unwatched = new Set<string>();
  const resources = Object.entries(watchedResources).map(([name, resource]) => ({
    name,
    kind: kindOf(resource.resources),
    versions: new Set([resource.apiVersion, ...(resource.apiVersions ?? [])]),
  }));
  for (const object of objects) {
    const { apiVersion = '', kind = '' } = object as { readonly apiVersion?: string; readonly kind?: string };
    const isNamespace = apiVersion === 'v1' && kind === 'Namespace';
    const names = resources
      .filter((one) => one.kind === kind && one.versions.has(apiVersion))
      .map(({ name }) => name);
    if (isNamespace && !names.includes('namespaces')) names.push('namespaces');
    if (names.length === 0) unwatched.add(kind);
    for (const name of names) (fixtures[name] ??= []).push(object);
  }
  return { fixtures, unwatched: [...unwatched].sort() };
}

async function filesOf(place: string): Promise<readonly string[]> {
  const found = await stat(place).catch((error: unknown) => unreadable(place, readFailure(error)));
  if (!found.isDirectory()) return [place];
  const names = await readdir(place, { recursive: true });
  return names
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map((name) => path.join(place, name));
}

function isConfig({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  return typeof apiVersion === 'string' && apiVersion.startsWith(group) && configKinds.has(String(kind));
}

function itemsOf(content: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { kind, items } = content;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [content];
}

function objectOf(file: string, value: unknown): KubeObject {
  if (!isRecord(value) || !isRecord(value['metadata']) || typeof value['metadata']['name'] !== 'string')
    unreadable(file, 'every object needs metadata.name');
  return value as KubeObject;
}

function unreadable(name: string, reason: string): never {
  throw new CodedError('HAPTIC_ERR_CLI_READ', `${name}: ${reason}`);
}
