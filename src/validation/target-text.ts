import type { DataplaneConfig } from '../api/template-config.ts';
import { getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { FileKind } from '../protocol/plan.ts';
import { bundlePaths } from '../render/bundle-paths.ts';
import { problemLine } from './problem-line.ts';
import type { FixtureRender } from './render-fixtures.ts';

export type TargetText =
  | { readonly ok: true; readonly text: string }
  /** `missing`: the target is a file that was not rendered. */
  | { readonly ok: false; readonly error: string };

/** Kinds of files behind the prefixes of targets. */
const fileKinds: Readonly<Record<string, readonly FileKind[]>> = {
  map: ['map'],
  file: ['general'],
  cert: ['cert', 'ca', 'crl'],
  'crt-list': ['crtlist'],
};

const forms =
  'haproxy.cfg, map:<name>, file:<name>, cert:<name>, crt-list:<name>, rendering_error or problems';

/**
 * What an assertion looks at. Names are those of the configuration (`map:host.map`) or paths of the bundle
 * (`map:maps/host.map`). A file that was not rendered is an error that lists those that were.
 */
export function targetText(
  target: string | undefined,
  { files, problems, error, bundle }: FixtureRender,
  dataplane: DataplaneConfig,
): TargetText {
  if (target === undefined || target === '') return { ok: false, error: `target is missing; write ${forms}` };
  const lines = (wanted: typeof problems): string =>
    wanted.map((problem) => `${problemLine(problem)}\n`).join('');
  if (target === 'rendering_error') {
    const errors = lines(problems.filter(({ severity }) => severity === 'error'));
    return { ok: true, text: error === undefined ? errors : `${error}\n${errors}` };
  }
  if (target === 'problems') return { ok: true, text: lines(problems) };
  if (target === 'haproxy.cfg') return fileText(files, ['haproxy.cfg'], target, ['haproxy.cfg']);
  const [prefix = '', ...rest] = target.split(':');
  const kinds = fileKinds[prefix];
  const name = rest.join(':');
  if (kinds === undefined || name === '')
    return { ok: false, error: `target ${JSON.stringify(target)} is none; write ${forms}` };
  const present = bundle === undefined ? [] : [...valuesOf(bundle.plan.files)];
  const ofKind = present.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  const found = candidates(prefix, name, dataplane).filter((path) => {
    const file = bundle === undefined ? undefined : getEntry(bundle.plan.files, path);
    return file !== undefined && kinds.includes(file.kind);
  });
  return fileText(files, found, target, ofKind);
}

function candidates(prefix: string, name: string, dataplane: DataplaneConfig): readonly string[] {
  const paths = bundlePaths(dataplane);
  const general = paths.file(name);
  const certificates = `${paths.certificates}/${name}`;
  if (prefix === 'map') return [paths.map(name), name];
  return prefix === 'file' ? [general, name] : [certificates, general, name];
}

function fileText(
  files: ReadonlyMap<string, string>,
  paths: readonly string[],
  target: string,
  there: readonly string[],
): TargetText {
  for (const path of paths) {
    const text = files.get(path);
    if (text !== undefined) return { ok: true, text };
  }
  const others = there.length === 0 ? 'nothing of the kind was' : `there is ${[...there].sort().join(', ')}`;
  return { ok: false, error: `target ${target} was not rendered; ${others}` };
}
