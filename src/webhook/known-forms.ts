import { isIPv4, isIPv6 } from 'node:net';
import { digest } from '../lib/digest.ts';
import { diffOrderedMaps, getEntry } from '../lib/ordered-map.ts';
import type { Plan, Section } from '../protocol/plan.ts';
import { wordsOf } from './find-text.ts';
import type { SectionGroup } from './section-groups.ts';

export interface FormInput {
  readonly accepted: Plan;
  readonly next: Plan;
  readonly groups: readonly SectionGroup[];
  /** Keys of sections that name what changed. */
  readonly naming: ReadonlySet<string>;
  /** Keys of the sections that changed. */
  readonly changed: ReadonlySet<string>;
  /** Of sections that changed or went. */
  readonly names: ReadonlySet<string>;
  /** Files that changed. */
  readonly paths: ReadonlySet<string>;
}

/** Lines of patterns are read into a buffer of this size; here is room for both. */
const longestEntry = 4096;
const mostServers = 1_000;

/**
 * What HAProxy's word on a change depends on, where that is only: backends of a form (everything in them but names, addresses, ports
 * and weights), under a frame; and entries of maps that are compared as texts, of which none can be wrong. Two changes with the same forms
 * are accepted together or not at all. Undefined where more is involved: what a section names, or what names it, files, other sections.
 */
export function formsOf(input: FormInput): readonly string[] | undefined {
  const { accepted, next, groups, naming, changed, paths } = input;
  const forms = new Set<string>();
  const names = new Set<string>();
  const frame: SectionGroup[] = [];
  for (const group of groups) {
    const isFrame = group.kind === 'frame';
    if (isFrame) frame.push(group);
    const isChanged = group.sections.some(([key]) => changed.has(key));
    if (isChanged) {
      const [only, ...more] = group.sections.filter(([, { text }]) => text.trim() !== '');
      if (isFrame || only === undefined || more.length > 0 || group.keyword !== 'backend') return undefined;
      const form = formOf(only[1]);
      if (form === undefined || names.has(group.name)) return undefined;
      forms.add(form);
      names.add(group.name);
    } else if (!isFrame && group.sections.some(([key]) => naming.has(key))) return undefined;
  }
  const words = new Set([...forms].flatMap((form) => [...wordsOf(form)]));
  if ([...words].some((word) => getEntry(next.files, word) !== undefined)) return undefined;
  let namesakes = 0;
  for (const { kind, name } of groups) {
    if (kind === 'unit' && words.has(name)) return undefined;
    if (names.has(name)) namesakes++;
  }
  if (namesakes > names.size) return undefined;
  const frameWords = new Set<string>();
  for (const { sections } of frame)
    for (const [, section] of sections) for (const word of wordsOf(section.text)) frameWords.add(word);
  // What the frame names is more than one of many.
  if ([...names, ...input.names].some((one) => frameWords.has(one))) return undefined;
  const text = frame.flatMap(({ sections }) => sections.map(([, section]) => section.text)).join('');
  for (const path of paths) if (!areTexts(path, text, accepted, next)) return undefined;
  const key = digest(text);
  return [...forms].map((form) => `${key} ${form}`);
}

const name = /^[A-Za-z0-9_.:-]{1,200}$/;

/** A backend's text without what may be other in another one of its kind; undefined for what cannot be told. */
function formOf({ text, name: own }: Section): string | undefined {
  const servers = new Set<string>();
  const lines: string[] = [];
  /** Servers since the last other line, which may count for those that follow. */
  const run = new Set<string>();
  const references: string[] = [];
  if (/\bguid\b/.test(text)) return undefined;
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    const [first = '', second = '', third = '', ...rest] = words;
    if (first === '') continue;
    if (first === 'server') {
      const place = placeOf(third);
      if (!name.test(second) || servers.has(second) || place === undefined) return undefined;
      // Numbers of servers must differ, and a form does not tell how many servers there are.
      if (rest.includes('id')) return undefined;
      servers.add(second);
      references.push(withoutCookie(rest));
      const form = `server ${place} ${withoutWeight(rest)}`;
      if (!run.has(form)) lines.push(form);
      run.add(form);
      continue;
    }
    run.clear();
    if (first === 'backend' && second === own) {
      if (!name.test(own)) return undefined;
      lines.push(['backend', third, ...rest].join(' '));
    } else {
      // Its servers have names that others must not have.
      if (first === 'server-template') return undefined;
      references.push(line);
      lines.push(line.trim());
    }
  }
  if (servers.size > mostServers) return undefined;
  // A line that names a server depends on there being one of this name.
  if ([...wordsOf(references.join('\n'))].some((word) => servers.has(word))) return undefined;
  return lines.join('\n');
}

/** Mostly that of a server is its name. */
function withoutCookie(words: readonly string[]): string {
  return words.filter((_, at) => words[at - 1] !== 'cookie').join(' ');
}

/** The kind of an address with its port; undefined for host names, ranges, variables. */
function placeOf(text: string): string | undefined {
  const [, bracketed, bare, port = ''] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? bare ?? '';
  if (Number(port) < 1 || Number(port) > 65_535) return undefined;
  return isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined;
}

function withoutWeight(words: readonly string[]): string {
  return words
    .map((word, at) =>
      words[at - 1] === 'weight' && /^\d{1,3}$/.test(word) && Number(word) <= 256 ? '*' : word,
    )
    .join(' ');
}

const textConverters = /^map(?:_(?:str|beg|sub|dir|dom|end))?(?:_str)?$/;

/** True when a map is only ever compared as texts with texts, and its changed entries are such. */
function areTexts(path: string, frame: string, accepted: Plan, next: Plan): boolean {
  const before = getEntry(accepted.maps, path);
  const after = getEntry(next.maps, path);
  if (before === undefined || after === undefined) return false;
  for (let at = frame.indexOf(path); at >= 0; at = frame.indexOf(path, at + 1)) {
    const converter = /([A-Za-z0-9_]+)\($/.exec(frame.slice(Math.max(0, at - 40), at))?.[1];
    if (
      converter === undefined ||
      !textConverters.test(converter) ||
      !/[,)]/.test(frame.charAt(at + path.length))
    )
      return false;
  }
  for (const { after: entry } of diffOrderedMaps(before.entries, after.entries))
    if (entry !== undefined && (entry.text.length > longestEntry || !/^\S+ \S+\n$/.test(entry.text)))
      return false;
  return true;
}
