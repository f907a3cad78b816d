import { Registry } from 'prom-client';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { type HttpContentReport, recordHttpContents } from '../../../src/sinks/record-http-contents.ts';

const url = 'https://a.example/';
const reports: Record<string, HttpContentReport> = {
  f: { kind: 'fetched', url, digest: 'd', bytes: 3 },
  u: { kind: 'unchanged', url },
  a: { kind: 'accepted', url, digest: 'd', bytes: 3 },
  r: { kind: 'refused', url, digest: 'd', bytes: 3, reason: 'ContentRefused', message: 'bad line' },
  x: { kind: 'failed', url, reason: 'FetchFailed', message: 'answered 500' },
  y: { kind: 'failed', url, reason: 'FetchFailed', message: 'answered 404' },
  g: { kind: 'given-up', url },
};

function record(m: Parameters<Parameters<typeof marbles>[0]>[0], marble: string) {
  const metrics = createMetrics(new Registry());
  const lines: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    lines.push(`${level} ${message} ${Object.values(fields).join(' ')}`);
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const report$ = m.hot(marble, reports);
  const recording = recordHttpContents(
    report$,
    () => 2,
    metrics,
    log,
    (error) => lines.push(`bug ${String(error)}`),
  );
  return { metrics, lines, report$, recording };
}

describe('recordHttpContents', () => {
  it(
    'says when content is in effect, and when it is refused',
    marbles((m) => {
      const { lines, report$ } = record(m, '-f-a-f-r-');
      m.expect(report$).toHaveSubscriptions('^');
      m.flush();
      expect(lines.filter((line) => !line.startsWith('debug'))).toStrictEqual([
        `info http content is in effect ${url} d 3`,
        `warn http content is refused, the former stays ${url} d 3 ContentRefused bad line`,
      ]);
    }),
  );

  it(
    'says once what a URL fails of, and when it can be had again',
    marbles((m) => {
      const { lines } = record(m, '-x-x-y-u-u-x-');
      m.flush();
      expect(lines.filter((line) => !line.startsWith('debug'))).toStrictEqual([
        `warn http content cannot be had ${url} FetchFailed answered 500`,
        `warn http content cannot be had ${url} FetchFailed answered 404`,
        `info http content can be had again ${url}`,
        `warn http content cannot be had ${url} FetchFailed answered 500`,
      ]);
    }),
  );

  it(
    'counts what happens, and how many URLs there are',
    marbles((m) => {
      const { metrics } = record(m, '-f-a-u-u-g-');
      m.flush();
      return Promise.all([metrics.httpContents.get(), metrics.httpUrls.get()]).then(([events, urls]) => {
        const counted = events.values.map(({ labels, value }) => [labels.result, value]);
        expect(Object.fromEntries(counted)).toStrictEqual({
          fetched: 1,
          accepted: 1,
          unchanged: 2,
          'given-up': 1,
        });
        expect(urls.values[0]?.value).toBe(2);
      });
    }),
  );

  it(
    'hands a bug on, and ends when it is told to',
    marbles((m) => {
      const { lines, recording, report$ } = record(m, '-f-#');
      m.flush();
      expect(lines.at(-1)).toBe('bug error');
      recording.unsubscribe();
      m.expect(report$).toHaveSubscriptions('^--!');
    }),
  );
});
