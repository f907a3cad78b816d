import { afterAll, beforeAll, expect, it } from 'vitest';
import { isVersionAtLeast } from '../../src/lib/is-version-at-least.ts';
import { addServerKeywords, keywordObstacle } from '../../src/plan/server-keywords.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { globalSection, startHaproxy, type HaproxyProcess } from '../fixtures/haproxy-process.ts';

/** An argument that the keyword takes, where `1` is none. */
const argument: Readonly<Record<string, string>> = {
  addr: '127.0.0.1',
  'agent-inter': '2s',
  'agent-send': 'up',
  alpn: 'h2',
  'ca-file': 'none.pem',
  'check-alpn': 'h2',
  'check-proto': 'h2',
  'check-sni': 'a.example',
  ciphers: 'ALL',
  ciphersuites: 'TLS_AES_128_GCM_SHA256',
  'crl-file': 'none.pem',
  crt: 'none.pem',
  curves: 'X25519',
  guid: 'srv:1',
  downinter: '2s',
  fastinter: '2s',
  'hash-key': 'addr',
  'init-state': 'up',
  inter: '2s',
  observe: 'layer4',
  'on-error': 'fastinter',
  'on-marked-down': 'shutdown-sessions',
  'on-marked-up': 'shutdown-backup-sessions',
  proto: 'h2',
  'proxy-v2-options': 'ssl',
  sni: 'str(a.example)',
  'ssl-max-ver': 'TLSv1.3',
  'ssl-min-ver': 'TLSv1.2',
  verify: 'none',
  verifyhost: 'a.example',
  ws: 'h1',
};
/** Listed by `add server help`, and not given by the plan: see the comment at `addServerKeywords`. */
const leftOut = new Set([
  // Stays off until `enable agent`, with its settings.
  ...['agent-check', 'agent-addr'],
  // Other objects of the configuration, or an identity of its own.
  ...['track', 'source', 'usesrc', 'id', 'healthcheck'],
  // Negations of what no `default-server` can hand down to a server added at runtime, and the protocol versions they exclude.
  ...[
    'no-backup',
    'no-send-proxy',
    'no-send-proxy-v2',
    'no-sslv3',
    'no-tfo',
    'tls-tickets',
    'no-sni-auto',
    'no-check-sni-auto',
  ],
  ...[
    'no-tlsv10',
    'no-tlsv11',
    'no-tlsv12',
    'no-tlsv13',
    'force-sslv3',
    'force-tlsv10',
    'force-tlsv11',
    'force-tlsv12',
    'force-tlsv13',
  ],
  // Not on all lines, deprecated, or experimental.
  ...[
    'check-pool-conn-name',
    'check-reuse-pool',
    'check-via-socks4',
    'client-sigalgs',
    'idle-ping',
    'ktls',
    'npn',
    'pool-conn-name',
  ],
  ...['renegotiate', 'no-renegotiate', 'set-proxy-v2-tlv-fmt', 'sigalgs', 'tfo'],
]);
const withTls = new Set(['ssl', 'check-ssl', 'ws']);
const refusal = /unknown keyword|is not accepted for dynamic server/;
const loaded = { need: () => undefined };

describeEachLine('keywords of add server', (line) => {
  let haproxy: HaproxyProcess;
  beforeAll(async () => {
    const backend =
      'defaults std\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\nbackend b from std\n';
    haproxy = await startHaproxy(line, { config: (baseDir) => globalSection(baseDir) + backend });
  });
  afterAll(() => haproxy.stop());

  let count = 0;
  const add = (words: string) => haproxy.cli(`add server b/s${String(count++)} 127.0.0.1:80 ${words}`);

  it.each(Object.entries(addServerKeywords))(
    '%s is taken by the lines that are said to take it',
    async (name, rule) => {
      const args = rule.args === 0 ? [] : [argument[name] ?? '1'];
      const answer = await add([...(withTls.has(name) ? ['verify', 'none'] : []), name, ...args].join(' '));
      const takes = isVersionAtLeast(line.line, rule.since);
      if (rule.file === undefined && takes) expect(answer).toContain('New server registered');
      expect(refusal.test(answer), answer).toBe(!takes);
      expect(keywordObstacle({ name, args }, line.line, loaded) === undefined).toBe(takes);
    },
  );

  it.each([
    'resolvers x',
    'init-addr none',
    'no-check',
    'redir /x',
    'namespace x',
    'tcp-ut 1s',
    'socks4 127.0.0.1:1',
  ])('%s is refused by HAProxy and by the plan', async (words) => {
    const [name = '', ...args] = words.split(' ');
    expect(await add(words)).toMatch(refusal);
    expect(keywordObstacle({ name, args }, line.line, loaded)).toContain(`keyword "${name}"`);
  });

  it('all that HAProxy lists is either taken or left out on purpose, where it has a list', async () => {
    const help = (await haproxy.cli('add server help')).split('\n').map((word) => word.trim());
    if (!isVersionAtLeast(line.line, '3.2')) {
      expect(help.join(' ')).toContain("Require 'backend/server'");
      return;
    }
    const listed = new Set(help.slice(1).filter((word) => word !== ''));
    const taken = Object.keys(addServerKeywords).filter((name) =>
      isVersionAtLeast(line.line, addServerKeywords[name]?.since ?? '9.9'),
    );
    expect(taken.filter((name) => !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => !taken.includes(name) && !leftOut.has(name))).toEqual([]);
  });
});
