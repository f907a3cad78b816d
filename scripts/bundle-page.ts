import { join } from 'node:path';
import { build } from 'esbuild';

/** The script of the debug page as one module for browsers. */
export async function bundlePage(): Promise<string> {
  const result = await build({
    entryPoints: [join(import.meta.dirname, '../src/page/main.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const [script] = result.outputFiles;
  if (script === undefined) throw new Error('the page was bundled to nothing');
  return script.text;
}
