import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundlePage } from './bundle-page.ts';
import { bundle } from './bundle.ts';

/**
 * The program as plain JavaScript in a folder: `haptic.js`, one chunk per lazily loaded command, source maps, and the
 * template libraries, the chart and the debug page beside them. Nothing in it needs node_modules, and it may be moved. What was in the folder before is gone.
 */
export async function buildProduct(outdir = 'dist'): Promise<void> {
  const at = (name: string) => path.join(outdir, name);
  await rm(outdir, { recursive: true, force: true });
  await bundle({ haptic: 'src/main.ts', 'validation-worker': 'src/validation/validation-worker.ts' }, outdir);
  await chmod(at('haptic.js'), 0o755);
  await writeFile(at('package.json'), await packageText());
  await cp('charts/haptic/libraries', at('libraries'), { recursive: true });
  await cp('charts/haptic', at('chart'), { recursive: true, filter: isOfChart });
  await mkdir(at('page'));
  for (const name of ['index.html', 'style.css']) await cp(`src/page/${name}`, at(`page/${name}`));
  await writeFile(at('page/main.js'), await bundlePage());
}

/** What the chart's own .helmignore leaves out is left out here as well. */
function isOfChart(source: string): boolean {
  return !['ci', 'tests', 'libraries/tests'].includes(path.relative('charts/haptic', source));
}

/** Without `type`, Node would read each file twice to find out that it is a module. */
async function packageText(): Promise<string> {
  const { name, version, license, type } = JSON.parse(await readFile('package.json', 'utf8')) as Record<
    string,
    string
  >;
  return `${JSON.stringify({ name, version, license, private: true, type })}\n`;
}
