import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { graphCommand } from '../../../src/cli/graph-command.ts';
import { tapCommand } from '../../../src/cli/tap-command.ts';
import { tapFilter } from '../../../src/cli/tap-filter.ts';
import { callOf } from './values-of.ts';

let server: Server;
let url: string;
let asked: string[];
let answer: (path: string, response: ServerResponse) => void;
beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/debug`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const tap = (argv: readonly string[], signal?: AbortSignal) =>
  callOf(tapCommand, ['--url', url, ...argv], signal === undefined ? {} : { signal });
const deliveries = [
  { pod: { key: 'a/1' }, mode: 'runtime', reasons: [] },
  { pod: { key: 'a/2' }, mode: 'reload', reasons: ['frontend http changed', 'global changed'] },
  { pod: { key: 'a/1' }, mode: 'reload', reasons: ['global changed'] },
];

describe('haptic tap', () => {
  it('tells which taps there are', async () => {
    answer = (_path, response) => response.end(JSON.stringify({ taps: ['config', 'fleet'] }));
    expect(await tap([])).toStrictEqual({ code: 0, out: 'config\nfleet\n', err: '' });
    expect(asked).toStrictEqual(['/debug/taps']);
  });

  it('prints a line per value until the stream ends, and nothing for signs of life', async () => {
    answer = (_path, response) => response.end(lines(deliveries[0], { heartbeat: true }, deliveries[1]));
    expect(await tap(['deliveries'])).toStrictEqual({
      code: 0,
      out: lines(deliveries[0], deliveries[1]),
      err: '',
    });
  });

  it('puts lines together that come in pieces, and the last one without its end', async () => {
    const text = lines(...deliveries).trimEnd();
    answer = (_path, response) => {
      let at = 0;
      const next = () => {
        response.write(text.slice(at, (at += 37)));
        if (at < text.length) setImmediate(next);
        else response.end();
      };
      next();
    };
    expect((await tap(['deliveries'])).out).toBe(lines(...deliveries));
  });

  it('filters before it counts, and hangs up when it has enough', async () => {
    const ended = Promise.withResolvers<undefined>();
    answer = (_path, response) => {
      response.on('close', () => ended.resolve(undefined));
      response.write(lines(...deliveries));
    };
    const { code, out } = await tap([
      'deliveries',
      '--filter',
      'mode=reload',
      '-f',
      'pod.key!=a/2',
      '--limit',
      '1',
    ]);
    expect([code, out]).toStrictEqual([0, lines(deliveries[2])]);
    await ended.promise;
  });

  it('selects parts: one as it is, several by their paths', async () => {
    answer = (_path, response) => response.end(lines(deliveries[1]));
    expect((await tap(['deliveries', '--select', 'pod.key'])).out).toBe('"a/2"\n');
    expect((await tap(['deliveries', '-s', 'mode', '-s', 'reasons[*]', '-s', 'nothing'])).out).toBe(
      lines({ mode: 'reload', 'reasons[*]': deliveries[1]!.reasons, nothing: null }),
    );
  });

  it('says on stderr how many values were lost', async () => {
    answer = (_path, response) => response.end(lines({ dropped: 7 }, deliveries[0]));
    const { out, err } = await tap(['deliveries']);
    expect(out).toBe(lines(deliveries[0]));
    expect(err).toContain('7 values were lost');
  });

  it('has the controller end the stream after the time', async () => {
    answer = (_path, response) => response.end();
    expect((await tap(['fleet', '--for', '1500ms'])).code).toBe(0);
    expect(asked).toStrictEqual(['/debug/taps/fleet?for=2']);
  });

  it('ends in order by a signal', async () => {
    const stop = new AbortController();
    answer = (_path, response) => {
      response.write(lines(deliveries[0]));
      setImmediate(() => stop.abort());
    };
    expect(await tap(['deliveries'], stop.signal)).toMatchObject({ code: 0, err: '' });
  });

  it('fails with the words of the controller when there is no such tap, or the tap fails', async () => {
    answer = (_path, response) => {
      response.statusCode = 404;
      response.end(JSON.stringify({ error: 'no tap named x; there are: config' }));
    };
    expect(await tap(['x'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('no tap named x; there are: config') as string,
    });
    answer = (_path, response) => response.end(lines({ error: 'it broke' }));
    expect((await tap(['x'])).err).toContain('the tap ended: it broke');
  });

  it('says how to reach a controller when none answers', async () => {
    server.close();
    const { code, err } = await tap(['fleet']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /no controller answers at http:\/\/127\.0\.0\.1:\d+\/debug: .*ECONNREFUSED.*port-forward.*HAPTIC_DEBUG/s,
    );
  });

  it.each([
    [['--limit', '0'], '--limit must be a whole number from 1, not "0"'],
    [['--for', 'soon'], '"soon" is not a duration'],
    [['--for', '0'], '--for must be at least a second'],
    [['--filter', 'a=~('], '--filter a=~(: '],
    [['--filter', '..'], '--filter ..: '],
    [['--select', ''], 'is not a path'],
    [['--url', 'ftp://x'], '--url must be http://… or https://…, not "ftp://x"'],
  ])('refuses %j before it asks anything', async (argv, message) => {
    const { code, out, err } = await tap(['fleet', ...argv]);
    expect(code).not.toBe(0);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(asked).toStrictEqual([]);
  });
});

test.each([
  ['mode=reload', true],
  ['mode=runtime', false],
  ['mode!=runtime', true],
  ['mode!=reload', false],
  ['nothing!=x', true],
  ['nothing=x', false],
  ['nothing', false],
  ['mode', true],
  ['ok', false],
  ['count', true],
  ['empty', false],
  ['none', false],
  ["labels['a=b']=c=d", true],
  ["labels['a=b']", true],
  ['reasons[*]=~^global', true],
  ['reasons[*]=~^backend', false],
  ['count=0', true],
  ['mode=', false],
])('the filter %s is %s', (filter, holds) => {
  const value = {
    ...{ mode: 'reload', ok: false, count: 0, empty: [], none: null, labels: { 'a=b': 'c=d' } },
    reasons: ['frontend changed', 'global changed'],
  };
  expect(tapFilter(filter)(value)).toBe(holds);
});

describe('haptic graph', () => {
  it('draws what a controller computes', async () => {
    answer = (_path, response) => response.end('flowchart LR\n  a --> b\n');
    expect(await callOf(graphCommand, ['--url', url])).toStrictEqual({
      code: 0,
      out: 'flowchart LR\n  a --> b\n',
      err: '',
    });
    expect(asked).toStrictEqual(['/debug/graph']);
  });

  it('draws the shipped configuration without a controller', async () => {
    const { code, out } = await callOf(graphCommand, []);
    expect(code).toBe(0);
    expect(out).toMatch(/^flowchart LR\n[^]*ingresses[^]*\n$/);
  });
});
