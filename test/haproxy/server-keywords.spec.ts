import { afterAll, beforeAll, expect, it } from 'vitest';
import { isVersionAtLeast } from '../../src/plan/capabilities.ts';
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
});
