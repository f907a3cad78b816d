import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where this very program is, so that it can start itself again under another command. */
export interface Program {
  /** The file to hand to Node. */
  readonly main: string;
  /** Folders where `./dev` puts HAProxy lines. */
  readonly haproxyLines: string;
}

/**
 * @param moduleUrl `import.meta.url` of a module of this program: a source file under `src/`, or a bundle under `dist/`
 */
export function locateProgram(moduleUrl: string): Program {
  for (let folder = dirname(fileURLToPath(moduleUrl)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'haptic.js')))
      return {
        main: join(folder, 'haptic.js'),
        haproxyLines: join(folder, '..', '.haptic', 'haproxy'),
      };
    if (existsSync(join(folder, 'src', 'main.ts')))
      return {
        main: join(folder, 'src', 'main.ts'),
        haproxyLines: join(folder, '.haptic', 'haproxy'),
      };
    if (folder === dirname(folder)) throw new Error(`${moduleUrl} is no part of this program`);
  }
}
