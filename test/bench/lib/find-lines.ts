import { existsSync } from 'node:fs';
import path from 'node:path';

export interface HaproxyLine {
  readonly line: string;
  readonly path: string;
}

/** The HAProxy lines that `./dev` put side by side, newest first; `haproxy` on PATH when there are none. */
export function findLines(): readonly HaproxyLine[] {
  const folder = process.env['HAPTIC_HAPROXY_DIR'] ?? path.join('.haptic', 'haproxy');
  const lines = ['3.4', '3.2', '3.0', '2.6']
    .map((line) => ({ line, path: path.resolve(folder, line, 'haproxy') }))
    .filter((found) => existsSync(found.path));
  return lines.length > 0 ? lines : [{ line: 'PATH', path: 'haproxy' }];
}
