import { runCommand } from './run-command.ts';

export interface StaticCheck {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** The checks that run no code of the product, cheapest first. */
export const staticChecks: readonly StaticCheck[] = [
  { name: 'format', command: 'prettier', args: ['--check', '--log-level', 'warn', '.'] },
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  { name: 'types of the page', command: 'tsc', args: ['--noEmit', '--project', 'src/page'] },
  { name: 'lint', command: 'eslint', args: ['.', '--max-warnings', '0'] },
];

/** Runs every static check, also after one failed, and returns the names of those that did. */
export async function runStaticChecks(): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const check of staticChecks) {
    const end = await runCommand(check.command, check.args);
    process.stdout.write(`${end.code === 0 ? 'ok    ' : 'FAILED'} ${check.name}\n`);
    if (end.code !== 0) failed.push(check.name);
  }
  return failed;
}
