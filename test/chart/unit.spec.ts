import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import { helmMissing } from '../fixtures/chart/helm-missing.ts';
import { chartDir } from '../fixtures/chart/render-chart.ts';

/** One test of charts/haptic/tests. */
interface Case {
  readonly suite: string;
  readonly name: string;
  /** Empty: it passed. */
  readonly failure: string;
}

const cases = helmMissing(process.env) === undefined ? await runCases() : [];

describeChart('suites of charts/haptic/tests', () => {
  it('are there', () => expect(cases.length).toBeGreaterThan(90));

  it.each(cases)('$suite: $name', ({ failure }) => expect(failure).toBe(''));
});

async function runCases(): Promise<readonly Case[]> {
  const dir = await mkdtemp(path.join(tmpdir(), 'haptic-chart-'));
  const report = path.join(dir, 'report.xml');
  try {
    await promisify(execFile)(
      process.env['HAPTIC_HELM_UNITTEST'] ?? '',
      ['--strict', '--output-type', 'JUnit', '--output-file', report, chartDir],
      { maxBuffer: 16 << 20 },
    ).catch((error: unknown) => {
      // What failed is in the report; without one, nothing ran.
      if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error;
    });
    return parseReport(await readFile(report, 'utf8'));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** JUnit's XML as helm-unittest writes it: every test an element of its own, a failure within it. */
function parseReport(xml: string): readonly Case[] {
  return [
    ...xml.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>([^]*?)<\/testcase>)/g),
  ].map(([, suite = '', name = '', body = '']) => ({
    suite: plain(suite),
    name: plain(name),
    failure: plain(body.replace(/<[^>]*>/g, ' ').trim()),
  }));
}

function plain(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (typeof decimal === 'string') return String.fromCodePoint(Number(decimal));
    if (typeof hex === 'string') return String.fromCodePoint(Number.parseInt(hex, 16));
    return named[String(name)] ?? whole;
  });
}
