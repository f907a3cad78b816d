import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { baseImages } from './image/base-images.ts';
import { chooseBuilder } from './image/choose-builder.ts';

/**
 * `image [TAG]`: builds the Dockerfile as TAG (localhost/haptic:test) and writes .haptic/sbom.cdx.json. The base images are those of NODE_IMAGE and
 * HAPROXY_IMAGE, else the Dockerfile's, else, where cluster tools build the image, ones made of Debian's packages. Prints TAG.
 */
const tag = process.argv[2] ?? 'localhost/haptic:test';
const builder = chooseBuilder(process.env);
if (builder === undefined) {
  process.stderr.write('image: neither docker, podman nor buildah works here\n');
  process.exit(1);
}
const bases = await baseImages(builder, process.env);
await builder.build(tag, '.', bases);
await mkdir('.haptic', { recursive: true });
await writeFile('.haptic/sbom.cdx.json', billOfMaterials());
process.stdout.write(`${tag}\n`);

function billOfMaterials(): Buffer {
  const what = ['--package-lock-only', '--omit', 'dev', '--omit', 'optional', '--sbom-format', 'cyclonedx'];
  return execFileSync('npm', ['sbom', ...what], { maxBuffer: 64 * 1024 * 1024 });
}
