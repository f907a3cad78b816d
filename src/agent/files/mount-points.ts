import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Mount points below a folder, relative to it, from the kernel's table (proc(5), `/proc/self/mountinfo`). Two volumes of one disk have
 * the same device number, so that comparing those alone would miss a boundary that no rename crosses. Empty where there is no such table.
 */
export async function mountPoints(folder: string): Promise<string[]> {
  const [table, base] = await Promise.all([
    readFile('/proc/self/mountinfo', 'utf8').catch(() => ''),
    realpath(folder).catch(() => folder),
  ]);
  return parseMountPoints(table, base);
}

/** The fifth field of a line is the mount point; blanks and backslashes in it are octal escapes. */
export function parseMountPoints(table: string, base: string): string[] {
  const points = table
    .split('\n')
    .map((line) => unescapeOctal(line.split(' ')[4] ?? ''))
    .filter((point) => point.startsWith(`${base}${path.sep}`))
    .map((point) => path.relative(base, point));
  return [...new Set(points)].sort();
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
