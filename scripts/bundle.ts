import { build, type BuildOptions, type BuildResult } from 'esbuild';
import { compiledSchemas, httpByRequire, kubeConfigOnly } from './bundle-plugins.ts';

/** The same bundling for the product and its benches: what a bench measures is what ships. */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  metafile: true,
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [kubeConfigOnly, httpByRequire, compiledSchemas],
  logLevel: 'warning',
  chunkNames: 'chunks/[name]-[hash]',
  // CommonJS dependencies call require for Node's own modules, which an ES module does not have.
  banner: {
    js: "import { createRequire as hapticRequire } from 'node:module'; const require = hapticRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** Bundles entry points (output name → source file) into `outdir`; rejects with esbuild's messages when one fails. */
export function bundle(
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
  options: Pick<BuildOptions, 'write'> = {},
): Promise<BuildResult<{ metafile: true }>> {
  return build({ ...bundleOptions, ...options, entryPoints: { ...entryPoints }, outdir });
}
