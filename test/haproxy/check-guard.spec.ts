import { spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits, type Gate } from '../../src/gate/create-gate.ts';
import { bindOptions } from '../../src/gate/guard/bind-options.ts';
import { expressionRisk } from '../../src/gate/guard/expression-risk.ts';
import { judgeLine } from '../../src/gate/guard/judge-line.ts';
import { knownDirectives } from '../../src/gate/guard/known-directives.ts';
import { knownSamples } from '../../src/gate/guard/known-samples.ts';
import { readConfigLine } from '../../src/gate/guard/read-config-line.ts';
import { sectionKeywords } from '../../src/gate/guard/section-keywords.ts';
import { serverOptions } from '../../src/gate/guard/server-options.ts';
import { variableMark } from '../../src/gate/guard/variable-mark.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { issueAuthority } from '../../src/certificates/issue-authority.ts';
import { runSlices } from '../../src/lib/run-slices.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import { createHarmless, type HarmlessPlan } from '../../src/webhook/harmless-plan.ts';
import { standInCertificate } from '../../src/webhook/stand-in-certificate.ts';
import { describeEachLine, type SupportedLine } from '../fixtures/haproxy-lines.ts';
import { makePlan, type Sketch } from '../fixtures/make-plan.ts';

const std = 'defaults std\n  mode http\n  timeout connect 1s\n  timeout client 5s\n  timeout server 5s\n';
const frontend = 'frontend web from std\n  bind 127.0.0.1:18080\n';
const inGlobal = (...lines: string[]) =>
  `global\n${lines.map((line) => `  ${line}\n`).join('')}${std}${frontend}`;
const inFrontend = (line: string) => `global\n${std}${frontend}  ${line}\n`;
const inBackend = (line: string) => `global\n${std}${frontend}backend b from std\n  ${line}\n`;
const inSection = (head: string, ...lines: string[]) =>
  `global\n  maxconn 10\n${head}\n${lines.map((line) => `  ${line}\n`).join('')}${std}${frontend}`;

interface Evil {
  /** `@` stands for a folder that is none of the check's. */
  readonly config: string;
  /** Lines of HAProxy on which this does what it says; default: all. */
  readonly from?: SupportedLine;
}

const writes: Readonly<Record<string, Evil>> = {
  'a ring with a file': {
    config: inSection('ring r', 'format raw', 'maxlen 1000', 'size 20000', 'backing-file @/precious'),
  },
  'statistics in shared memory': {
    config: inGlobal('expose-experimental-directives', 'shm-stats-file @/shm'),
    from: '3.4',
  },
  'a key of an account': {
    config: `global\n  expose-experimental-directives\nacme a\n  directory https://acme.invalid/\n  account-key @/account\n${std}${frontend}`,
    from: '3.2',
  },
  'a script': { config: inGlobal('lua-load @/evil.lua') },
  'a script behind a NUL': { config: inGlobal('lua-load\\x00zz @/evil.lua') },
  'a script of the render': { config: inGlobal('lua-load general/evil.lua') },
  'a program for pass phrases': {
    config: `${inGlobal('ssl-passphrase-cmd /usr/bin/touch @/ran')}  bind 127.0.0.1:18443 ssl crt general/locked.pem\n`,
    from: '3.4',
  },
};

const reads: readonly string[] = [
  inFrontend('errorfile 503 @/x'),
  inFrontend('errorfile 503 "@"/x'),
  inFrontend('errorfile 503 "${X-@/x}"'),
  inFrontend('errorfile 503 @/x\\x00.http'),
  inGlobal('stats "${X-socket}" 127.0.0.1:18082 ssl crt @/x'),
  inFrontend('http-request deny if { src "${X--f}" @/x }'),
  inFrontend('http-request return errorfile @/x'),
  inFrontend('http-request return status 200 content-type a/b file @/x'),
  inFrontend('http-request return status 200 content-type a/b lf-file @/x'),
  inFrontend('http-request deny status 403 content-type a/b lf-file @/x'),
  inFrontend('http-error status 503 errorfile @/x'),
  inFrontend('http-request return status 200 content-type a/b lf-file general/format'),
  inSection('http-errors e', 'errorfile 503 @/x'),
  inFrontend('acl a src -f @/x'),
  inFrontend('http-request deny if { src -M -f @/x }'),
  inFrontend('use_backend %[path,map(@/x)]'),
  inFrontend('use_backend %[path,map("@/x")]'),
  inFrontend("use_backend %[path,map('@/x')]"),
  inFrontend(`http-request set-var(txn.x) 'path,map("@/x")'`),
  inFrontend('http-request redirect prefix if set-cookie { location %[path,map(@/x)]'),
  inGlobal('set-var proc.x str(a),map(@/x)'),
  inFrontend('unique-id-format %[path,map(@/x)]'),
  inBackend('balance hash path,map(@/x)\n  server s 127.0.0.1:1'),
  inBackend('server s 127.0.0.1:1 ssl verify none sni str(x),map(@/x)'),
  inBackend('server s 127.0.0.1:1 ssl ca-file @/x'),
  inBackend('server s 127.0.0.1:1 ssl verify none crl-file @/x'),
  inBackend('server s 127.0.0.1:1 namespace ../../..@/x'),
  inBackend('default-server ssl ca-file @/x'),
  inFrontend('bind 127.0.0.1:18081 ssl crt @/x'),
  inFrontend('bind 127.0.0.1:18081 ssl crt-list general/list.txt'),
  inFrontend('bind 127.0.0.1:18081 ssl crt general/list.txt ca-file @/x'),
  inFrontend('filter spoe engine e config @/x'),
  inGlobal('h1-case-adjust-file @/x'),
  inGlobal('ssl-dh-param-file @/x'),
  inGlobal('ca-base @') + 'backend b from std\n  server s 127.0.0.1:1 ssl ca-file x\n',
];

/** Names files and sockets, and does nothing with them in a check. */
const idle = [
  'global',
  '  pidfile @/pid',
  '  chroot @',
  '  daemon',
  '  log @/log.sock local0',
  '  stats socket @/stats.sock mode 600 level admin',
  std.trimEnd(),
  frontend.trimEnd(),
  '  bind @/bind.sock mode 600',
  'backend b from std',
  '  server s @/server.sock',
  '',
].join('\n');

const isKnownOn = (line: SupportedLine, from: SupportedLine = '2.6') => Number(line) >= Number(from);

describeEachLine('a guarded check', (line) => {
  let dir = '';
  let outside = '';
  let gate: Gate;
  let harmless: (plan: Plan) => HarmlessPlan;
  let files: Sketch['files'] = {};
  let lockedPem = '';

  const planOf = (config: string) =>
    makePlan({ core: { '0 all': config.replaceAll('@', outside) }, ...(files && { files }) });
  const asIs = async (config: string) => {
    const folder = mkdtempSync(path.join(dir, 'as-is-'));
    mkdirSync(path.join(folder, 'general'));
    for (const [name, { text }] of Object.entries(files ?? {})) writeFileSync(path.join(folder, name), text);
    writeFileSync(path.join(folder, 'haproxy.cfg'), config.replaceAll('@', outside));
    const options = { cwd: folder, env: { PATH: '/usr/bin:/bin', A: '${A}' }, maxOutputBytes: 100_000 };
    return firstValueFrom(runProcess(line.path, ['-c', '-dr', '--', 'haproxy.cfg'], options));
  };
  const contents = () =>
    Object.fromEntries(
      readdirSync(outside).map((name) => [name, readFileSync(path.join(outside, name), 'utf8')]),
    );

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'haptic-guard-'));
    const inSlices = createHarmless(await standInCertificate(Date.now()));
    harmless = (plan) => runSlices(inSlices(plan));
    const { cert, key } = await issueAuthority(Date.now(), 3_600_000);
    lockedPem = locked(cert, key);
    const roots = path.join(dir, 'roots');
    mkdirSync(roots);
    gate = createGate({
      haproxy: line.path,
      withRoot: checkRootsIn(roots),
      run: runProcess,
      limits: { ...defaultGateLimits, remembered: 1 },
    });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  beforeEach(() => {
    outside = mkdtempSync(path.join(dir, 'outside-'));
    const lua = `local f = io.open("${outside}/ran", "w") f:write("x") f:close()`;
    files = {
      'general/evil.lua': { text: lua },
      'general/format': { text: `%[path,map(${outside}/x)]` },
      'general/list.txt': { text: `${outside}/x\n` },
      'general/locked.pem': { text: lockedPem },
    };
    writeFileSync(path.join(outside, 'evil.lua'), lua);
    writeFileSync(path.join(outside, 'precious'), 'precious');
  });

  describe.each(Object.entries(writes))('%s', (_what, { config, from }) => {
    it('NGX#47: changes nothing, whoever wants the check; and would without the guard', async () => {
      const before = contents();
      await firstValueFrom(gate.check(harmless(planOf(config)).plan));
      expect(contents()).toEqual(before);
      await firstValueFrom(gate.check(planOf(config)));
      expect(contents()).toEqual(before);
      await asIs(config);
      expect(JSON.stringify(contents()) === JSON.stringify(before)).toBe(!isKnownOn(line.line, from));
    });
  });

  it.each(reads)(
    'reads nothing outside for an admission, and would without the guard: %j',
    async (config) => {
      const verdict = await firstValueFrom(gate.check(harmless(planOf(config)).plan));
      expect(JSON.stringify(verdict)).not.toContain(outside);
      expect(harmless(planOf(config)).leftOut.size).toBe(1);
      expect((await asIs(config)).output).toMatch(/outside-|unable to|cannot|failed/i);
    },
  );

  it('opens no sockets and writes no files where a configuration only names them', async () => {
    const before = contents();
    expect(await firstValueFrom(gate.check(planOf(idle)))).toMatchObject({ kind: 'accepted' });
    expect(contents()).toEqual(before);
    expect(harmless(planOf(idle)).leftOut.size).toBe(0);
  });

  it.each([
    ['nothing else', 'balance roundrobin', 'accepted'],
    ['a condition that a script decides', 'acl known lua.known\n  http-request deny if known', 'accepted'],
    ['a word that is none', 'no-such-word x', 'refused'],
    ['a bad value', 'balance frob', 'refused'],
  ])('of a render with scripts passes over what misses them: %s is %s', async (_what, more, kind) => {
    const scripted = `${inGlobal('lua-load general/evil.lua')}  http-request lua.auth if { path /x }\n`;
    const config = `${scripted}  http-request use-service lua.page\nbackend b from std\n  ${more}\n`;
    expect((await firstValueFrom(gate.check(planOf(config)))).kind).toBe(kind);
  });

  it('knows every word that HAProxy says it knows', () => {
    const config = path.join(dir, 'words.cfg');
    writeFileSync(config, 'global\n');
    const { stdout } = spawnSync(line.path, ['-dKall', '-q', '-c', '-f', config], { encoding: 'utf8' });
    const words = wordsSaid(stdout);
    expect(words.directives.length).toBeGreaterThan(200);
    expect(words.samples.length).toBeGreaterThan(200);
    expect(words.directives.filter((word) => !knownDirectives.has(word))).toEqual([]);
    expect(words.sections.filter((word) => !sectionKeywords.has(word) && word !== 'crt-list')).toEqual([]);
    for (const [options, table] of [
      [words.bind, bindOptions],
      [words.server, serverOptions],
    ] as const) {
      expect(options.length).toBeGreaterThan(50);
      expect(options.filter(([name]) => !table.has(name))).toEqual([]);
      expect(options.filter(([name, length]) => length > (table.get(name) ?? 0))).toEqual([]);
    }
    expect(words.rules.length).toBeGreaterThan(100);
    expect(words.rules.filter((rule) => judgeLine(rule).beginning !== undefined)).toEqual([]);
    expect(
      words.samples.filter((name) => !knownSamples.has(name) && expressionRisk(`${name}(/x,/x)`) !== 'file'),
    ).toEqual([]);
    expect(words.services).toEqual(['prometheus-exporter']);
  });

  it('reads words as HAProxy does', async () => {
    const piece = fc.constantFrom(...['a', '"', "'", '\\', '\\\\', ' ', '\t', '#', '$', '${A}', '${A-b}', '\\x41', '{', '}', '\\ ', '\\"', "\\'", '\\#', '\\q', '/', '"b c"', "'d e'"]); // prettier-ignore
    const texts = fc.sample(
      fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
      { numRuns: 1_000, seed: 7 },
    );
    // Newer ones refuse lines with empty words.
    const readable = texts.filter((text) => {
      const { words, isOdd } = readConfigLine(`q${text}`);
      return !isOdd && !words.includes('');
    });
    expect(readable.length).toBeGreaterThan(100);
    // HAProxy gives up after fifty faults.
    for (let from = 0; from < readable.length; from += 40) {
      const part = readable.slice(from, from + 40);
      const { output } = await asIs(`global\n${part.map((text) => `q${text}\n`).join('')}`);
      const told = new Map(
        [...output.matchAll(/\[haproxy\.cfg:(\d+)\]\s?: unknown keyword '(.*?)' in 'global' section/gs)].map(
          ([, number, word = '']) => [Number(number), word] as const,
        ),
      );
      // A is there, and has itself as its value.
      const read = part.map((text) => [text, toA(readConfigLine(`q${text}`).words[0] ?? '')]);
      expect(read).toEqual(part.map((text, at) => [text, toA(told.get(at + 2) ?? output)]));
    }
  });
});

/** A certificate whose key needs a pass phrase. */
function locked(cert: string, key: string): string {
  const secret = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  return `${cert}${createPrivateKey(key).export(secret).toString()}`;
}

interface Words {
  readonly directives: readonly string[];
  readonly sections: readonly string[];
  readonly bind: readonly (readonly [name: string, length: number])[];
  readonly server: readonly (readonly [name: string, length: number])[];
  /** Lines as far as HAProxy lists them: `http-request set-header`, `option allbackups`, `filter`. */
  readonly rules: readonly string[];
  readonly samples: readonly string[];
  readonly services: readonly string[];
}

const toA = (text: string) => text.replaceAll(variableMark, '$').replaceAll('${A-b}', '${A}');

/** What `-dKall` lists. */
function wordsSaid(text: string): Words {
  const lists = new Map<string, string[]>();
  let list: string[] = [];
  for (const line of text.split('\n')) {
    const title = /^# List of registered (.*):/.exec(line)?.[1];
    if (title !== undefined) lists.set(title, (list = []));
    else if (line.trim() !== '' && !line.startsWith('#')) list.push(line);
  }
  const of = (title: string) => lists.get(title) ?? [];
  const words = of('configuration keywords')
    .filter((line) => line.startsWith('\t'))
    .map((line) => line.trim().split(/\s+/));
  const groups = of('configuration keywords').filter((line) => !line.startsWith('\t'));
  const optionsOf = (keyword: string) =>
    words
      .filter(([first, second = '']) => first === keyword && second.startsWith('<'))
      .map((line) => {
        const length = /^\+(\d+)$/.exec(line.at(-1) ?? '')?.[1];
        const name = line.at(/^\+/.test(line.at(-1) ?? '') ? -2 : -1) ?? '';
        return [name, Number(length ?? 0)] as const;
      });
  const ruled =
    /^(?:http-(?:request|response|after-response)|tcp-(?:request|response)|quic-initial|http-check|tcp-check|option)$/;
  const start = of('configuration keywords').indexOf('crt-list');
  const end = groups[groups.indexOf('crt-list') + 1];
  const inCrtList = new Set(
    of('configuration keywords')
      .slice(start, end === undefined ? undefined : of('configuration keywords').indexOf(end))
      .map((line) => line.trim()),
  );
  return {
    directives: words
      .filter((line) => !(line[1] ?? '').startsWith('<') && !inCrtList.has(line.join(' ')))
      .map(([first = '']) => first),
    sections: groups.filter((group) => group !== 'crt-list'),
    bind: optionsOf('bind'),
    server: optionsOf('server'),
    rules: [
      ...words
        .filter(([first = '', second]) => ruled.test(first) && second !== undefined)
        .map((line) => line.join(' ').replace(/ \[.*/, '').replace(/\*$/, '')),
      ...of('filter names').map((line) => `filter ${line.split(' ')[0]}`),
    ],
    samples: [...of('sample converter functions'), ...of('sample fetch functions')].flatMap((line) => {
      const [, name, given] = /^(?:\[[^\]]*\] )?\s*([^(:\s]+)(\()?/.exec(line.trim()) ?? [];
      return name === undefined || given === undefined ? [] : [name];
    }),
    services: of('service names').map((line) => line.trim()),
  };
}
