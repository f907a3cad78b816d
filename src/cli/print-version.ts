import type { CliCall } from './cli-command.ts';
import { printed } from './printed.ts';
import type { versionOptions } from './version-command.ts';
import { version } from '../lib/version.ts';

/** `haptic version` */
export function printVersion({ values, out }: CliCall<typeof versionOptions>): Promise<number> {
  const answer = { version, node: process.version, platform: `${process.platform}/${process.arch}` };
  out(printed(values.output, answer, () => `haptic ${version}\n`));
  return Promise.resolve(0);
}
