import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { bundlePage } from './bundle-page.ts';
import { bundle } from './bundle.ts';

/**
 * The program as plain JavaScript in dist/: `haptic.js`, one chunk per lazily loaded command, source maps, and the
 * template libraries and the debug page beside them. Nothing in it needs node_modules. What was in dist/ before is gone.
 */
export async function buildProduct(): Promise<void> {
  await rm('dist', { recursive: true, force: true });
  await bundle({ haptic: 'src/main.ts', 'validation-worker': 'src/validation/validation-worker.ts' }, 'dist');
  await chmod('dist/haptic.js', 0o755);
  await cp('charts/haptic/libraries', 'dist/libraries', { recursive: true });
  await mkdir('dist/page');
  for (const name of ['index.html', 'style.css']) await cp(`src/page/${name}`, `dist/page/${name}`);
  await writeFile('dist/page/main.js', await bundlePage());
}
