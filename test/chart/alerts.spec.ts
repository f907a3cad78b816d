import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseDuration } from '../../src/lib/duration.ts';
import { chartDir } from '../fixtures/chart/render-chart.ts';
import { type AlertCase, alertCases } from '../fixtures/prometheus/alert-cases.ts';
import { prometheusMissing } from '../fixtures/prometheus/prometheus-missing.ts';

const rules = path.join(chartDir, 'monitoring/alerts.yaml');
const missing = prometheusMissing(process.env);

/** At which minute, and the labels of the one alert that rings then; undefined: none. */
type Ringing = readonly [minute: number, labels: Readonly<Record<string, string>> | undefined];

interface Rule {
  readonly alert: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
}

describe.skipIf(missing !== undefined)(
  `rules of alerts, by Prometheus${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let dir: string;
    let all: readonly Rule[];
    const promtool = (...args: string[]) =>
      promisify(execFile)(path.join(process.env['HAPTIC_PROMETHEUS'] ?? '', 'promtool'), args);
    /** What promtool has to say against it: one list of series, and what rings at which minute. */
    const complaints = async (...tests: readonly (readonly [AlertCase['series'], ...Ringing[]])[]) => {
      const file = path.join(dir, 'test.yaml');
      const all = tests.map(([series, ...ringing]) => ({
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: ringing.map(([minute, labels]) => ({
          expr: 'ALERTS{alertstate="firing"}',
          eval_time: `${String(minute)}m`,
          exp_samples: labels === undefined ? [] : [{ labels: alertSeries(labels), value: 1 }],
        })),
      }));
      await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: all }));
      return promtool('test', 'rules', file).then(
        () => '',
        (error: unknown) => String((error as { stdout?: string; stderr?: string }).stderr),
      );
    };

    beforeAll(async () => {
      dir = await mkdtemp(path.join(tmpdir(), 'haptic-alerts-'));
      const { groups } = parse(await readFile(rules, 'utf8')) as { groups: { rules: Rule[] }[] };
      all = groups.flatMap(({ rules: list }) => list);
    });
    afterAll(() => rm(dir, { recursive: true }));

    it('are rules to it', async () => {
      const { stdout } = await promtool('check', 'rules', '--lint=all', '--lint-fatal', rules);
      expect(stdout).toContain(`${String(all.length)} rules found`);
    });

    it('each of them is tried', () => {
      expect(alertCases.map(({ alert }) => alert)).toEqual(all.map(({ alert }) => alert));
    });

    it.each(alertCases)('$alert rings alone, when its time has passed, and for nothing else', async (one) => {
      const rule = all.find(({ alert }) => alert === one.alert);
      if (rule === undefined) throw new Error('there is no such rule');
      const lasting = parseDuration(rule.for, 'for') / 60_000;
      const labels = { alertname: one.alert, ...rule.labels, ...one.labels };
      const late: Ringing = [one.begins + lasting + 1, labels];
      const early: Ringing = [one.begins + Math.max(lasting - 1, -1), undefined];
      const tests = [
        [{ ...one.series, ...others(one) }, early, late],
        [{ ...one.calm, ...others(one) }, [20, undefined], [140, undefined]],
      ] as const;
      expect(await complaints(...tests)).toBe('');
    });
  },
);

/** A controller that is there, unless the case says. */
function others({ series }: AlertCase): AlertCase['series'] {
  const there = Object.keys(series).some((name) => name.startsWith('haptic_build_info'));
  return there ? {} : { 'haptic_build_info{namespace="edge",job="edge/haptic-controller"}': '1x150' };
}

function alertSeries(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries({ alertstate: 'firing', ...labels });
  return `ALERTS{${all.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}}`;
}
