import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CodedError } from '../../lib/coded-error.ts';

export interface HaproxyBinary {
  readonly path: string;
  /** `3.4.7-1` */
  readonly version: string;
}

export interface HaproxySearch {
  /** Given by the user: no other is looked at. */
  readonly explicit?: string;
  /** Folders with `<line>/haproxy` in them. */
  readonly lineFolders: readonly string[];
  /** The environment's PATH. */
  readonly searchPath: string;
}

const run = promisify(execFile);

/**
 * The newest HAProxy to be found: every `<line>/haproxy` of the folders, and the one on PATH. On a draw the first wins.
 *
 * @throws CodedError `HAPTIC_ERR_SANDBOX_HAPROXY` when there is none, or the one asked for does not run
 */
export async function findHaproxy(search: HaproxySearch): Promise<HaproxyBinary> {
  const paths = search.explicit === undefined ? candidates(search) : [resolve(search.explicit)];
  const found = (await Promise.all(paths.map(probe))).filter((binary) => binary !== undefined);
  const [newest] = found.sort((a, b) => compareVersions(b.version, a.version));
  if (newest !== undefined) return newest;
  throw new CodedError(
    'HAPTIC_ERR_SANDBOX_HAPROXY',
    search.explicit === undefined
      ? `no HAProxy found in ${[...search.lineFolders, 'PATH'].join(', ')}; install one or name it with --haproxy PATH`
      : `--haproxy ${search.explicit} is no HAProxy that runs here`,
  );
}

/** Orders `3.4.7-1` after `3.4.7` after `3.2.26`: numbers by value, whatever else they are joined with. */
export function compareVersions(a: string, b: string): number {
  const left = a.match(/\d+/g) ?? [];
  const right = b.match(/\d+/g) ?? [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = Number(left[i] ?? -1) - Number(right[i] ?? -1);
    if (order !== 0) return order;
  }
  return 0;
}

function candidates(search: HaproxySearch): readonly string[] {
  const inLines = search.lineFolders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((line) => join(resolve(folder), line, 'haproxy')));
  const onPath = search.searchPath.split(delimiter).map((folder) => join(folder, 'haproxy'));
  return [...new Set([...inLines, ...onPath])].filter((path) => existsSync(path));
}

async function probe(path: string): Promise<HaproxyBinary | undefined> {
  try {
    const { stdout } = await run(path, ['-v'], { timeout: 10_000 });
    const version = /^HA-?Proxy version (\S+)/.exec(stdout)?.[1];
    return version === undefined ? undefined : { path, version };
  } catch {
    return undefined;
  }
}
