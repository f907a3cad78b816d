import { buildProduct } from './build-product.ts';

await buildProduct();
process.stderr.write('built dist/haptic.js\n');
