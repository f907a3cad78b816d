import { Registry } from 'prom-client';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { ResourceReport } from '../../../src/sinks/k8s-resources.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { recordOwnResources } from '../../../src/sinks/record-own-resources.ts';

const object = 'v1 ConfigMap ns/a';
const reports: Record<string, ResourceReport> = {
  a: { kind: 'applied', object, owner: 'Ingress ns/i' },
  u: { kind: 'unchanged', object },
  k: { kind: 'kept', object, owner: 'Ingress ns/i' },
  r: { kind: 'removed', object },
  x: { kind: 'refused', object, reason: 'Forbidden', message: 'no right' },
  f: { kind: 'failed', object, reason: 'Timeout', message: 'slow' },
};

function record(m: Parameters<Parameters<typeof marbles>[0]>[0], marble: string) {
  const metrics = createMetrics(new Registry());
  const lines: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    lines.push(`${level} ${message}: ${Object.values(fields).join(', ')}`);
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const report$ = m.hot(marble, reports);
  const recording = recordOwnResources(report$, metrics, log, (error) => lines.push(`bug ${String(error)}`));
  const said = () => lines.filter((line) => !line.startsWith('debug'));
  return { metrics, said, report$, recording };
}

describe('recordOwnResources', () => {
  it(
    'says what is applied and removed, and no word of what is as it was',
    marbles((m) => {
      const { said, report$ } = record(m, '-a-u-k-r-');
      m.expect(report$).toHaveSubscriptions('^');
      m.flush();
      expect(said()).toStrictEqual([
        `info own object is applied: ${object}, Ingress ns/i`,
        `info own object is removed: ${object}`,
      ]);
    }),
  );

  it(
    'says once what an object fails of',
    marbles((m) => {
      const { said } = record(m, '-x-x-f-f-x-');
      m.flush();
      expect(said()).toStrictEqual([
        `warn own object is refused: ${object}, Forbidden, no right`,
        `warn own object fails: ${object}, Timeout, slow`,
        `warn own object is refused: ${object}, Forbidden, no right`,
      ]);
    }),
  );

  it(
    'counts results, and how many objects fail now',
    marbles((m) => {
      const { metrics } = record(m, '-x-f-');
      m.flush();
      return Promise.all([metrics.ownResources.get(), metrics.ownResourcesFailing.get()]).then(
        ([results, failing]) => {
          const counted = results.values.map(({ labels, value }) => [labels.result, value]);
          expect(Object.fromEntries(counted)).toStrictEqual({ refused: 1, failed: 1 });
          expect(failing.values[0]?.value).toBe(1);
        },
      );
    }),
  );

  it(
    'hands a bug on, and ends when it is told to',
    marbles((m) => {
      const { said, recording, report$ } = record(m, '-a-#');
      m.flush();
      expect(said().at(-1)).toBe('bug error');
      recording.unsubscribe();
      m.expect(report$).toHaveSubscriptions('^--!');
    }),
  );
});
