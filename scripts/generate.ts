import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedFiles } from './generated-files.ts';

/** `generate`: writes every generated file that is not as it would be generated, and says which. */
const root = path.join(import.meta.dirname, '..');
for (const { path: name, content } of generatedFiles) {
  const file = path.join(root, name);
  const text = await content();
  const held = await readFile(file, 'utf8').catch(() => undefined);
  if (held === text) continue;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`${name}\n`);
}
