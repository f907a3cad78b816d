import http2 from 'node:http2';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalizePath } from '../../src/projections/ingress/normalize-path.ts';
import type { Echo } from '../fixtures/echo-server.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const host = 'a.example.com';
const guarded = ['/admin', '/api/v1/admin', '/~root', '/a%2Fkept'];
const exactly = '/only/here';

/** How applications come from the path of a request to what they serve: each may merge slashes besides. */
const applications: Readonly<Record<string, (path: string) => string>> = {
  'decodes once, slashes included': (path) => resolveDots(decode(path, /%[0-9a-f]{2}/gi)),
  'decodes all but slashes': (path) => resolveDots(decode(path, /%(?!2f)[0-9a-f]{2}/gi)),
  'decodes after it has resolved dots': (path) => decode(resolveDots(path), /%[0-9a-f]{2}/gi),
  'resolves nothing': (path) => path,
  'takes backslashes for slashes': (path) =>
    resolveDots(decode(path, /%[0-9a-f]{2}/gi).replaceAll('\\', '/')),
  'drops parameters, then decodes': (path) => resolveDots(decode(withoutParameters(path), /%[0-9a-f]{2}/gi)),
  'decodes, then drops parameters': (path) => resolveDots(withoutParameters(decode(path, /%[0-9a-f]{2}/gi))),
  'drops parameters, then decodes all but slashes': (path) =>
    resolveDots(decode(withoutParameters(path), /%(?!2f)[0-9a-f]{2}/gi)),
  'decodes all but slashes, then drops parameters': (path) =>
    resolveDots(withoutParameters(decode(path, /%(?!2f)[0-9a-f]{2}/gi))),
  'drops parameters after it has resolved dots': (path) => withoutParameters(resolveDots(path)),
};

/** Without what Servlet containers and others take off each element: `/a;b=c/d` is `/a/d`. */
const withoutParameters = (path: string) => path.replace(/;[^/]*/g, '');

const decode = (path: string, escapes: RegExp) =>
  path.replace(escapes, (text) => String.fromCharCode(Number.parseInt(text.slice(1), 16)));

function resolveDots(path: string): string {
  const kept: string[] = [];
  const elements = path.split('/').slice(1);
  for (const [i, element] of elements.entries()) {
    const isLast = i === elements.length - 1;
    if (element === '..') kept.pop();
    if (element !== '.' && element !== '..') kept.push(element);
    else if (isLast) kept.push('');
  }
  return `/${kept.join('/')}`;
}

const isGuarded = (path: string) =>
  path === exactly || guarded.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

/** The readings of a path under which an application serves what is guarded. */
const guardedReadings = (path: string) =>
  Object.entries(applications)
    .filter(([, read]) => isGuarded(read(path)) || isGuarded(read(path).replace(/\/{2,}/g, '/')))
    .map(([name]) => name);

const hexOf = (character: string, upper: boolean) => {
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  return `%${upper ? hex.toUpperCase() : hex}`;
};

const ordinary = ['admin', 'admin', 'api', 'v1', '~root', 'only', 'here', 'x'];

/** A path that leads to what is guarded, or nearly, written in one of many ways. */
const target = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ...Array.from({ length: 16 }, () => '/'),
        '//',
        '%2f',
        '%2F',
        '/./',
        '/%2e/',
        '/%2E%2e/',
        '/../',
        '\\',
        '%5c',
        '%252f',
        ';/',
        ';x/',
        '%3b/',
        '/;%2f',
      ),
      fc.constantFrom(
        ...ordinary,
        ...ordinary,
        '',
        '..',
        '.',
        '..;a',
        'admin;a',
        'a;b',
        'admin%3Ba',
        'here;',
        '..%3b',
        'api%2fv1%3Bx',
        'caf%c3%a9',
        '%00',
      ),
      fc.array(fc.nat(11), { maxLength: 3 }),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 7 },
  )
  .map((parts) => {
    const text = parts
      .map(([separator, word, encoded, upper]) => {
        const letters = word.match(/%..|./g) ?? [];
        return (
          separator +
          letters.map((c, i) => (encoded.includes(i) && c.length === 1 ? hexOf(c, upper) : c)).join('')
        );
      })
      .join('');
    return text.startsWith('/') ? text : `/${text}`;
  });

describeEachLine('paths of requests', (line) => {
  const pool = setUp(() => startEchoPool('open', 'guarded', 'other'));
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      ingress({
        name: 'paths',
        rules: [
          {
            host,
            paths: [
              { path: '/', service: 'open' },
              ...guarded.map((path) => ({ path, service: 'guarded' })),
              { path: exactly, pathType: 'Exact', service: 'guarded' },
            ],
          },
          { host: 'other.example.com', paths: [{ path: '/', service: 'other' }] },
        ],
      }),
    ]),
  );

  /** What became of it: a refusal, or who was asked for which path. */
  const ask = async (path: string) => {
    const { status, body } = await world.request({ host, target: path });
    return status === 200 ? (JSON.parse(body) as Echo) : status;
  };

  it('no spelling leads around a route', async () => {
    const seen = { refused: 0, guarded: 0, open: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(target, { minLength: 20, maxLength: 20 }), async (paths) => {
        for (const [i, outcome] of (await Promise.all(paths.map(ask))).entries()) {
          if (typeof outcome === 'number') {
            expect([400, paths[i]]).toContain(outcome);
            seen.refused++;
            continue;
          }
          const { server, url } = outcome;
          seen[server as 'guarded' | 'open']++;
          if (server === 'open') expect([paths[i], url, guardedReadings(url)]).toEqual([paths[i], url, []]);
        }
      }),
      { numRuns: 40 },
    );
    // The generator reaches all three.
    expect(Math.min(seen.refused, seen.guarded, seen.open)).toBeGreaterThan(50);
  });

  it('what is passed on is in normal form, but for doubled slashes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(target, { minLength: 10, maxLength: 10 }), async (paths) => {
        for (const outcome of await Promise.all(paths.map(ask))) {
          if (typeof outcome === 'number') continue;
          expect(normalizePath(outcome.url)).toEqual({ value: outcome.url.replace(/\/{2,}/g, '/') });
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['/x/../admin', 'guarded /admin'],
    ['/%61dmin', 'guarded /admin'],
    ['/x/%2e%2e/%41dmin', 'open /Admin'],
    ['/admin/../x', 'open /x'],
    ['//admin//x', 'guarded //admin//x'],
    ['/api/./v1/x/../admin/', 'guarded /api/v1/admin/'],
    ['/%7Eroot', 'guarded /~root'],
    ['/only/x/../here', 'guarded /only/here'],
    ['/only/here/', 'open /only/here/'],
    ['/x//./admin', 'open /x//admin'],
    ['/.//admin', 'guarded //admin'],
    ['/group%2Fproject', 'open /group%2Fproject'],
    ['/admin/group%2fproject', 'guarded /admin/group%2Fproject'],
    ['/caf%C3%A9+%2B%20;a=b', 'open /caf%C3%A9+%2B%20;a=b'],
    ['/%2561dmin', 'open /%2561dmin'],
    ['/a?/../admin%00', 'open /a?/../admin%00'],
    [`http://${host}/x/../admin`, `guarded /admin`],
    ['/x;jsessionid=1/y;a=b%3Bc%2Fd', 'open /x;jsessionid=1/y;a=b%3Bc%2Fd'],
    ['/admin/x;v=1', 'guarded /admin/x;v=1'],
    ['/admin/x%3bv=1', 'guarded /admin/x%3Bv=1'],
    ['/x;/../y', 'open /y'],
    ['/a/group%2Fproject;v=1', 'open /a/group%2Fproject;v=1'],
    ['/api/queues/%2F/q', 'open /api/queues/%2F/q'],
    ['/api/vhosts/%2f', 'open /api/vhosts/%2F'],
    ['/x/%2F%2F/y%2F', 'open /x/%2F%2F/y%2F'],
    ['/admin/%2F/x', 'guarded /admin/%2F/x'],
    ['/%2F/../x', 'open /x'],
    ['/api/%2F/v1/admin', '400'],
    ['/%2F/admin', '400'],
    ['/only/%2F/here', '400'],
    ['/x/%2F../admin', '400'],
    ['/x%2F.%2Fy', '400'],
    ['/admin;x', '400'],
    ['/admin;x/secret', '400'],
    ['/admin%3Bx/secret', '400'],
    ['/admin%3bx;y', '400'],
    ['/;/admin', '400'],
    ['/;x=y/admin', '400'],
    ['/%3B/admin', '400'],
    ['/admin;%2fx', '400'],
    ['/api;a/v1%3bb/admin;c', '400'],
    ['/api%2Fv1;a/admin', '400'],
    ['/api;%2Fv1/v1/admin', '400'],
    ['/only/here;', '400'],
    ['/x/..%3b/admin', '400'],
    ['/x/.%3B/y', '400'],
    ['/x%2F..%3B/admin', '400'],
    ['/a%2Fkept;x', '400'],
    ['/a%2Fkept%3Bx', '400'],
    ['/admin%2fx', '400'],
    ['/x%2f..%2fadmin', '400'],
    ['/x/..%2fadmin', '400'],
    ['/%2fadmin', '400'],
    ['/..', '400'],
    ['/../admin', '400'],
    ['/x//../admin', '400'],
    ['/..;/admin', '400'],
    ['/x\\..\\admin', '400'],
    ['/x%5c..%5cadmin', '400'],
    ['/admin%00', '400'],
    ['/admin%0d%0aX: y', '400'],
    ['/%', '400'],
    ['/%zz', '400'],
    ['/%c0%afadmin', '400'],
    ['/%e0%80%afadmin', '400'],
    ['/admin#x', '400'],
    ['/caf\xe9', '400'],
    [`/${'a/'.repeat(3000)}${'../'.repeat(3000)}admin`, '400'],
  ])('%j: %s', async (path, expected) => {
    const outcome = await ask(path);
    expect(
      typeof outcome === 'number'
        ? String(outcome)
        : `${outcome.server} ${outcome.url.replace(`http://${host}`, '')}`,
    ).toBe(expected);
  });

  it.each([
    [host, '/x/../admin', 'guarded'],
    [host, '/%61dmin', 'guarded'],
    [host, '//admin', 'guarded'],
    [host, '/x%2f..%2fadmin', '400'],
    [host, '/admin;x', '400'],
    [host, '/admin%00', '400'],
    [host, '/caf\xe9', '400'],
    [`${host}/admin`, '/x', 'refused'],
    [`${host},other.example.com`, '/admin', 'refused'],
    [host, '/admin', 'guarded'],
  ])('over HTTP/2, %s %j: %s', async (authority, path, expected) => {
    const outcome = await askHttp2(world.http, authority, path);
    if (expected === 'refused') expect(['400', '404', 'reset']).toContain(outcome);
    else expect([expected, ...(expected === '400' ? ['reset'] : [])]).toContain(outcome);
  });

  it.each([`${host}/admin`, `${host},other.example.com`, `other.example.com,${host}`, `${host}\\admin`])(
    'no host is read out of %j',
    async (name) => expect(['400', '404']).toContain(await world.outcome({ host: name, target: '/x' })),
  );
});

/** Who answered, or the status, or `reset`. */
function askHttp2(
  at: { readonly host: string; readonly port: number },
  authority: string,
  path: string,
): Promise<string> {
  return new Promise((resolve) => {
    const session = http2.connect(`http://${at.host}:${at.port}`);
    const done = (outcome: string) => {
      session.destroy();
      resolve(outcome);
    };
    session.on('error', () => done('reset'));
    const request = session.request({ ':method': 'GET', ':authority': authority, ':path': path });
    let status = 0;
    let body = '';
    request.on('response', (headers) => (status = headers[':status'] ?? 0));
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('error', () => done('reset'));
    request.on('end', () =>
      done(status === 200 ? (JSON.parse(body) as Echo).server : status === 0 ? 'reset' : String(status)),
    );
    request.end();
  });
}
