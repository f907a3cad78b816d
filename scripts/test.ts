import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';
import { runStaticChecks, staticChecks } from './static-checks.ts';
import { closingLines, summarizeTests, type VitestReport } from './test-summary.ts';

/**
 * `test [PROJECT…]`: without a name the static checks and all projects; with names just those.
 * The last line on stdout is the total over everything that ran; the exit code is non-zero on any failure.
 */
const defaultProjects = ['unit', 'marbles', 'haproxy', 'sandbox', 'docs'];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !defaultProjects.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`unknown project: ${unknown.join(', ')} (known: ${defaultProjects.join(' ')})\n`);
  process.exit(2);
}

const projects = asked.length > 0 ? asked : defaultProjects;
const checksRun = asked.length > 0 ? 0 : staticChecks.length;
const checksFailed = asked.length > 0 ? [] : await runStaticChecks();

const scratch = await mkdtemp(join(tmpdir(), 'haptic-test-'));
const reportFile = join(scratch, 'report.json');
try {
  const end = await runCommand('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...projects.flatMap((name) => ['--project', name]),
  ]);
  const summary = summarizeTests(
    { report: await readReport(reportFile), exitCode: end.code, projects },
    { run: checksRun, failed: checksFailed },
    process.env['CI'] === 'true',
  );
  for (const line of closingLines(summary)) process.stdout.write(`${line}\n`);
  process.exitCode = summary.failed > 0 ? 1 : 0;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function readReport(path: string): Promise<VitestReport | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as VitestReport;
  } catch {
    return undefined;
  }
}
