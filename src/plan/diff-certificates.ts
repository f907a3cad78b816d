import type { Chunk } from '../lib/ordered-map.ts';
import type { Plan, PlanFile, Section } from '../protocol/plan.ts';
import type { Operation } from '../protocol/operation.ts';
import type { DiffContext } from './diff-context.ts';
import { isNamedByBareServer } from './bare-server-files.ts';
import { contentObstacle, type StoreKind } from './file-needs.ts';
import { laterNamesake } from './later-namesake.ts';
import type { LoadedFiles } from './loaded-files.ts';

const stores: readonly StoreKind[] = ['cert', 'ca', 'crl'];
const words: Readonly<Record<StoreKind, string>> = { cert: 'certificate', ca: 'CA file', crl: 'CRL file' };

export function isStoreKind(kind: PlanFile['kind']): kind is StoreKind {
  return stores.some((store) => store === kind);
}

/**
 * Rule R6 for one certificate, CA or CRL file: a changed one is set in every store that has it loaded. One that is not loaded
 * matters when something names it, see `FileNeeds`. One that is gone stays in the worker's memory, where nothing uses it:
 * HAProxy's `del ssl cert` is none of the operations.
 */
export function diffCertificateFile(
  { draft, loaded, next, worker, capabilities }: DiffContext,
  before: PlanFile | undefined,
  after: PlanFile | undefined,
): void {
  const file = after ?? before;
  if (file === undefined || !isStoreKind(file.kind)) return;
  const { path } = file;
  const what = `${words[file.kind]} ${path}`;
  const how = before === undefined ? 'new' : after === undefined ? 'removed' : 'changed';
  const users = stores.filter((store) => loaded.has(store, path));
  const other = stores.map((store) => loaded.otherName(store, path)).find((name) => name !== undefined);
  const bundle = how === 'changed' && users.length > 0 ? undefined : loadedBundle(loaded, path);
  if (users.length === 0 && other !== undefined)
    draft.reload(`${what}: ${how}, and the worker knows it as ${other}`);
  else if (bundle !== undefined)
    draft.reload(`${what}: ${how}, and HAProxy reads it with ${bundle}, only at start`);
  else if (how !== 'changed' && namesFolder(next, path))
    draft.reload(`${what}: ${how}, and HAProxy reads its folder only at start`);
  else if (after === undefined)
    draft.note(
      `${what}: removed${users.length === 0 ? '' : ', and kept by the worker until its next start'}`,
    );
  else if (users.length === 0) {
    if (how === 'changed') draft.note(`${what}: changed, but not loaded by the worker`);
  } else {
    const missing = users
      .map((store) => setOf(store, path).kind)
      .find((kind) => !capabilities.operations.has(kind));
    const obstacle =
      missing === undefined
        ? (contentObstacle(path, after.size, users, capabilities.version) ??
          bareObstacle(next, file) ??
          orderObstacle({ crtLists: worker.crtLists, files: next.files }, path))
        : `${missing} is not for HAProxy ${capabilities.version ?? '?'}`;
    if (obstacle === undefined) draft.emit('fileSet', ...users.map((store) => setOf(store, path)));
    else draft.reload(`${what}: ${how}, and ${obstacle}`);
  }
}

function bareObstacle(next: Plan, { kind, path }: PlanFile): string | undefined {
  return kind !== 'cert' && isNamedByBareServer(next, path)
    ? 'HAProxy gives it to no server that has no certificate of its own'
    : undefined;
}

function orderObstacle(state: Pick<Plan, 'crtLists' | 'files'>, path: string): string | undefined {
  const other = laterNamesake(state, path);
  return other === undefined
    ? undefined
    : `HAProxy would prefer ${other.certificate}, which comes after it in ${other.list} for the same name (${other.name})`;
}

/** What is added at runtime finds its files: to be called when everything that may need one was looked at. */
export function loadNeededFiles({ draft, needs }: DiffContext): void {
  for (const { kind, path } of needs.missing()) draft.emit('fileNew', newOf(kind, path));
}

function setOf(kind: StoreKind, path: string): Operation {
  return { kind: `${kind}_set`, path };
}

function newOf(kind: StoreKind, path: string): Operation {
  return { kind: `${kind}_new`, path };
}

const keyTypes = ['.rsa', '.dsa', '.ecdsa'];

/**
 * The loaded certificate that the file belongs to by its name: what HAProxy loads together (`ssl-load-extra-files`) differs in the
 * suffix.
 */
function loadedBundle(loaded: LoadedFiles, path: string): string | undefined {
  const bundle = /^(.+)\.(?:key|ocsp|sctl|issuer|rsa|dsa|ecdsa)$/.exec(path)?.[1];
  if (bundle === undefined) return undefined;
  return ['', ...keyTypes].some((suffix) => loaded.has('cert', bundle + suffix)) ? bundle : undefined;
}

/** Arguments of `crt`, `ca-file` and the like in core sections, by chunk: a version is scanned where it differs. */
const fileArguments = new WeakMap<Chunk<Section>, ReadonlySet<string>>();

/** Whether a core section names the file's folder as a whole: HAProxy takes every file of a folder of certificates. */
function namesFolder({ sections }: Plan, path: string): boolean {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return sections.chunks.some((chunk) => {
    for (const name of argumentsIn(chunk)) if (name === folder || name.endsWith(`/${folder}`)) return true;
    return false;
  });
}

function argumentsIn(chunk: Chunk<Section>): ReadonlySet<string> {
  const held = fileArguments.get(chunk);
  if (held !== undefined) return held;
  const found = new Set<string>();
  for (const { kind, text } of chunk.values) {
    if (kind !== 'core') continue;
    for (const [, name = ''] of text.matchAll(/\b(?:crt|ca-file|crl-file)\s+"?([^\s"]+)/g))
      found.add(name.replace(/\/+$/, ''));
  }
  fileArguments.set(chunk, found);
  return found;
}
