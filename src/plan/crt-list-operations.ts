import { diffOrderedMaps, valuesOf } from '../lib/ordered-map.ts';
import { isVersionAtLeast } from '../lib/is-version-at-least.ts';
import type { Slices } from '../lib/slices.ts';
import { limits } from '../protocol/limits.ts';
import type { Operation } from '../protocol/operation.ts';
import type { CrtListEntry, Plan, PlanCrtList } from '../protocol/plan.ts';
import { isSafeToken } from '../protocol/safe-token.ts';
import { findAfter, hasEntry, overlap, sameOrderWhereItMatters } from './crt-list-order.ts';
import type { FileNeeds, StoreKind } from './file-needs.ts';

/** Entries between two pauses. */
const batch = 64;

export type CrtListOperations =
  | {
      readonly kind: 'operations';
      readonly adds: readonly Operation[];
      readonly deletes: readonly Operation[];
    }
  | { readonly kind: 'obstacle'; readonly reason: string };

/** First HAProxy line that takes an option in an entry added at runtime, and its argument: none, a word, or the path of a file. */
interface OptionRule {
  readonly since: string;
  readonly argument: 'none' | 'word' | StoreKind;
}

const flag: OptionRule = { since: '2.6', argument: 'none' };
const word: OptionRule = { since: '2.6', argument: 'word' };

/**
 * Options of an entry that HAProxy takes at runtime as it does at start. Left out on purpose: `ocsp-update`, whose work begins at
 * start.
 */
export const crtListOptions: Readonly<Record<string, OptionRule>> = {
  'allow-0rtt': flag,
  alpn: word,
  'ca-file': { since: '2.6', argument: 'ca' },
  'ca-verify-file': { since: '2.6', argument: 'ca' },
  ciphers: word,
  ciphersuites: word,
  'client-sigalgs': { since: '3.0', argument: 'word' },
  'crl-file': { since: '2.6', argument: 'crl' },
  curves: word,
  ecdhe: word,
  'no-alpn': { since: '3.0', argument: 'none' },
  'no-ca-names': flag,
  npn: word,
  sigalgs: { since: '3.0', argument: 'word' },
  'ssl-max-ver': word,
  'ssl-min-ver': word,
  verify: word,
};

export interface CrtListContext {
  readonly needs: FileNeeds;
  /** As they will be. */
  readonly files: Plan['files'];
  /** Of HAProxy; absent when unknown. */
  readonly version?: string;
}

/**
 * Rule R6 for the entries of a loaded crt-list. HAProxy adds at the end only, so the list it ends up with may be in another order than the
 * file; that is all right where order has no meaning: it has one for the first entry, the default certificate, among
 * entries with a host name in common and keys of one type, and against entries that take their names from the certificate.
 *
 * A changed entry is added anew before the old one goes, so that its names are never without a certificate. O(changed), unless entries
 * changed places.
 */
export function* crtListOperations(
  before: PlanCrtList,
  after: PlanCrtList,
  { needs, files, version = '?' }: CrtListContext,
): Slices<CrtListOperations> {
  const { gone, came, moved } = changedEntries(before, after);
  yield;
  const isNew = (position: string) => came.has(position);
  const reason =
    firstObstacle(before, after) ??
    defaultObstacle([...gone, ...came.values()]) ??
    (moved && !sameOrderWhereItMatters(files, before.entries, after.entries, new Set(gone), isNew)
      ? 'entries changed places, and HAProxy moves none'
      : undefined) ??
    (yield* first([...came], ([position, entry]) =>
      addObstacle(after, position, entry, { isNew, needs, files, version }),
    )) ??
    (yield* first(gone, (entry) => deleteObstacle(after, entry, isNew)));
  if (reason !== undefined) return { kind: 'obstacle', reason };
  const { path } = after;
  return {
    kind: 'operations',
    adds: [...came.values()].map(({ certificate, options, sniFilters }) => ({
      kind: 'crtlist_add',
      path,
      cert: certificate,
      options,
      sni_filters: sniFilters,
    })),
    deletes: gone.map(({ certificate }) => ({ kind: 'crtlist_del', path, cert: certificate })),
  };
}

/** What left and what came, in order; equal lines on both sides are one entry that may have another position now. */
function changedEntries(
  before: PlanCrtList,
  after: PlanCrtList,
): {
  readonly gone: readonly CrtListEntry[];
  /** By position. */
  readonly came: ReadonlyMap<string, CrtListEntry>;
  readonly moved: boolean;
} {
  const left = new Map<string, CrtListEntry[]>();
  const came = new Map<string, CrtListEntry>();
  for (const change of diffOrderedMaps(before.entries, after.entries)) {
    if (change.before?.text === change.after?.text) continue;
    if (change.before !== undefined) {
      const same = left.get(change.before.text);
      if (same === undefined) left.set(change.before.text, [change.before]);
      else same.push(change.before);
    }
    if (change.after !== undefined) came.set(change.key, change.after);
  }
  const found = came.size;
  for (const [position, { text }] of came) if (left.get(text)?.shift() !== undefined) came.delete(position);
  return { gone: [...left.values()].flat(), came, moved: came.size < found };
}

function firstObstacle(before: PlanCrtList, after: PlanCrtList): string | undefined {
  const [was] = valuesOf(before.entries);
  const [is] = valuesOf(after.entries);
  if (was?.text === is?.text) return undefined;
  return `its first entry, the default certificate, was ${was?.certificate ?? 'none'} and is ${is?.certificate ?? 'none'}, which HAProxy cannot alter at runtime`;
}

function defaultObstacle(changed: readonly CrtListEntry[]): string | undefined {
  const entry = changed.find(({ sniFilters }) => sniFilters.includes('*'));
  if (entry === undefined) return undefined;
  return `${entry.certificate} has the filter "*", and HAProxy picks default certificates only at start`;
}

interface AddContext extends Required<CrtListContext> {
  readonly isNew: (position: string) => boolean;
}

function addObstacle(
  after: PlanCrtList,
  position: string,
  entry: CrtListEntry,
  context: AddContext,
): string | undefined {
  const { isNew, needs, files } = context;
  const { certificate, options, sniFilters, text } = entry;
  const what = `entry ${certificate}: new, and`;
  if (![certificate, ...options, ...sniFilters].every(isSafeToken))
    return `${what} a word of it cannot stand in a runtime command`;
  if (Buffer.byteLength(text) > limits.commandLineBytes / 2)
    return `${what} it is too long for a runtime command`;
  const follower = findAfter(files, after.entries, position, entry, isNew);
  if (follower !== undefined)
    return `${what} it stands before ${follower.certificate}, which has ${overlap(files, entry, follower) ?? ''} too, while HAProxy adds at the end only`;
  const obstacle = needs.need('cert', certificate) ?? optionObstacle(options, context);
  return obstacle === undefined ? undefined : `${what} ${obstacle}`;
}

function optionObstacle(options: readonly string[], { needs, version }: AddContext): string | undefined {
  for (let at = 0; at < options.length; at++) {
    const name = options[at] ?? '';
    const rule = Object.hasOwn(crtListOptions, name) ? crtListOptions[name] : undefined;
    if (rule === undefined || !isVersionAtLeast(version, rule.since))
      return `its option "${name}" is not for certificates added at runtime on HAProxy ${version}`;
    if (rule.argument === 'none') continue;
    const value = options[++at];
    if (value === undefined) return `its option "${name}" has no argument`;
    const obstacle = rule.argument === 'word' ? undefined : needs.need(rule.argument, value);
    if (obstacle !== undefined) return `its option "${name}": ${obstacle}`;
  }
  return undefined;
}

/** HAProxy names an entry by its certificate; the agent takes the oldest of several, so none of those that stay may be older. */
function deleteObstacle(
  after: PlanCrtList,
  { certificate }: CrtListEntry,
  isNew: (position: string) => boolean,
): string | undefined {
  if (!isSafeToken(certificate))
    return `entry ${certificate}: removed, and its path cannot stand in a runtime command`;
  const stays = hasEntry(after.entries, certificate, isNew);
  return stays ? `entry ${certificate}: removed, and another one of this certificate stays` : undefined;
}

function* first<T>(
  items: readonly T[],
  obstacleOf: (item: T) => string | undefined,
): Slices<string | undefined> {
  for (const [at, item] of items.entries()) {
    const obstacle = obstacleOf(item);
    if (obstacle !== undefined) return obstacle;
    if ((at + 1) % batch === 0) yield;
  }
  return undefined;
}
