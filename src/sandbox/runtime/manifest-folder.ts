import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { watch } from 'chokidar';
import { errorMessage } from '../../lib/error-message.ts';
import { errorCode } from '../../lib/error-code.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { type ObjectClient, type ObjectRef, refOf } from './object-client.ts';
import { parseManifests } from './parse-manifests.ts';
import { createWorkQueue } from './work-queue.ts';

export interface ManifestFolder {
  readonly stop: () => Promise<void>;
}

export interface ManifestFolderOptions {
  readonly client: ObjectClient;
  readonly folder: string;
  /** Told what was applied and removed, and what is wrong, by file. A complaint is made once until it changes. */
  readonly report: (line: string) => void;
}

const fieldManager = 'haptic-sandbox';

/** These make others possible, so a file is applied in this order. */
const firstKinds = ['Namespace', 'CustomResourceDefinition', 'IngressClass', 'GatewayClass'];

/**
 * Applies every .yaml, .yml and .json file below a folder and follows its edits: an object that left its file is deleted,
 * unless another file has it. A file that cannot be read as a whole is reported by name, and nothing of it is deleted; an
 * object that the API refuses is reported and tried again, since what it needs (a CRD, a namespace) may come later.
 *
 * Resolves when the files that were there have been gone through once.
 */
export async function followManifestFolder(options: ManifestFolderOptions): Promise<ManifestFolder> {
  const { client, folder, report } = options;
  const held = new Map<string, ReadonlyMap<string, ObjectRef>>();
  const complaints = new Map<string, string>();
  const complain = (file: string, text: string | undefined) => {
    if (text !== undefined && complaints.get(file) !== text) report(`${relative(folder, file)}: ${text}`);
    if (text === undefined) complaints.delete(file);
    else complaints.set(file, text);
  };
  const queue = createWorkQueue({
    work: syncFile,
    onError: (file, error) => complain(file, textOf(error)),
  });

  async function syncFile(file: string): Promise<void> {
    const text = await readText(file);
    const { objects, problems } = text === undefined ? { objects: [], problems: [] } : parseManifests(text);
    const refs = new Map<string, ObjectRef>();
    const refusals: string[] = [];
    for (const object of [...objects].sort(byKind)) {
      try {
        const ref = refOf(await client.apply(object, fieldManager));
        refs.set(refKey(ref), ref);
      } catch (error) {
        refusals.push(`${describeRef(refOf(object))}: ${textOf(error)}`);
      }
    }
    const before = held.get(file) ?? new Map<string, ObjectRef>();
    const complaint = [...problems, ...refusals].join('; ');
    if (complaint !== '') for (const [key, ref] of before) refs.set(key, ref);
    held.set(file, refs);
    for (const [key, ref] of before) {
      if (refs.has(key) || isHeldElsewhere(file, key)) continue;
      await client.remove(ref);
      report(`${relative(folder, file)}: deleted ${describeRef(ref)}`);
    }
    if (text === undefined) held.delete(file);
    else if (complaint === '') report(`${relative(folder, file)}: applied ${objects.length} objects`);
    if (refusals.length > 0) throw new Error(complaint);
    complain(file, complaint === '' ? undefined : complaint);
  }

  const isHeldElsewhere = (file: string, key: string) =>
    [...held].some(([other, refs]) => other !== file && refs.has(key));

  const watcher = watch(folder, {
    ignored: (path, stats) =>
      path !== folder && (/(^|\/)\.[^/]+$/.test(path) || (stats?.isFile() === true && !isManifest(path))),
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 },
  });
  const first: string[] = [];
  let started = false;
  const onFile = (file: string) => {
    if (started) queue.add(file);
    else first.push(file);
  };
  watcher.on('add', onFile).on('change', onFile).on('unlink', onFile);
  watcher.on('error', (error) => report(`cannot follow ${folder}: ${String(error)}`));
  await once(watcher, 'ready');
  started = true;
  for (const file of first.sort()) queue.add(file);
  await queue.idle();
  return {
    stop: async () => {
      await watcher.close();
      await queue.stop();
    },
  };
}

function textOf(error: unknown): string {
  return errorMessage(error);
}

function isManifest(path: string): boolean {
  return /\.(ya?ml|json)$/.test(path);
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function byKind(a: KubeObject, b: KubeObject): number {
  const rank = (object: KubeObject) => {
    const at = firstKinds.indexOf(object.kind ?? '');
    return at < 0 ? firstKinds.length : at;
  };
  return rank(a) - rank(b);
}

function refKey(ref: ObjectRef): string {
  return `${ref.apiVersion}/${ref.kind}/${ref.namespace}/${ref.name}`;
}

function describeRef(ref: ObjectRef): string {
  return ref.namespace === '' ? `${ref.kind} ${ref.name}` : `${ref.kind} ${ref.namespace}/${ref.name}`;
}
