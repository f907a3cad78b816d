import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterMissing } from './cluster-missing.ts';
import { installMissing } from './install-missing.ts';
import { runCommand } from './run-command.ts';
import { runStaticChecks, staticChecks } from './static-checks.ts';
import { closingLines, summarizeTests, type VitestReport } from './test-summary.ts';

/**
 * `test [PROJECT…]`: without a name the static checks and all projects that need no more than this machine; with names just
 * those. `cluster` brings `install` along; each of them is skipped, with its reason, where there is no Kubernetes API server, or no
 * cluster with nodes. The last line on stdout is the total over everything that ran; the exit code is non-zero on any failure.
 */
const defaultProjects = ['unit', 'marbles', 'haproxy', 'sandbox', 'browser', 'docs', 'chart'];
const knownProjects = [...defaultProjects, 'cluster', 'install'];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !knownProjects.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`unknown project: ${unknown.join(', ')} (known: ${knownProjects.join(' ')})\n`);
  process.exit(2);
}

const asked = [...new Set(named.flatMap((name) => (name === 'cluster' ? [name, 'install'] : [name])))];
const missing: Readonly<Record<string, string | undefined>> = {
  cluster: clusterMissing(process.env),
  install: installMissing(process.env),
};
const able = asked.filter((name) => missing[name] === undefined);
for (const name of asked.filter((one) => !able.includes(one)))
  process.stdout.write(`skipped project ${name}: ${missing[name] ?? ''}\n`);
if (asked.length > 0 && able.length === 0) {
  process.stdout.write('0 passed, 0 failed\n');
  process.exit(0);
}
const projects = asked.length > 0 ? able : defaultProjects;
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
