import { buildProduct } from './build-product.ts';

/** `build [DIR]`: into dist/ where no other folder is named. */
const outdir = process.argv[2] ?? 'dist';
await buildProduct(outdir);
process.stderr.write(`built ${outdir}/haptic.js\n`);
