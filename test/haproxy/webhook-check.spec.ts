import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueAuthority } from '../../src/certificates/issue-authority.ts';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits, type Gate } from '../../src/gate/create-gate.ts';
import { type RunProcess, runProcess } from '../../src/gate/run-process.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import { type ChangeToCheck, createChangeCheck } from '../../src/webhook/check-change.ts';
import { createHarmless } from '../../src/webhook/harmless-plan.ts';
import { createReducer } from '../../src/webhook/reduce-plan.ts';
import { standInCertificate } from '../../src/webhook/stand-in-certificate.ts';
import { worldSlices } from '../../src/world/world-slices.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { makePlan, type Sketch } from '../fixtures/make-plan.ts';

const std = 'defaults std\n  mode http\n  timeout connect 1s\n  timeout client 5s\n  timeout server 5s\n';
const base: Sketch = {
  core: {
    '0 global': 'global\n  maxconn 100\n',
    '1 std': std,
    '2 web': 'frontend web from std\n  bind 127.0.0.1:80\n',
  },
  backends: { api: { servers: [{ name: 's1', address: '10.0.0.1', port: 80 }] } },
};
const withBackend = (name: string, body: readonly string[], sketch: Sketch = base): Sketch => ({
  ...sketch,
  backends: { ...sketch.backends, [name]: { body } },
});

describeEachLine('the check of a change', (line) => {
  let dir = '';
  let gate: Gate;
  let standIn = '';
  /** What lay in the folder of each check: path → text. */
  const seen: Record<string, string>[] = [];
  const run: RunProcess = (command, args, options) => {
    const files: Record<string, string> = {};
    for (const name of readdirSync(options.cwd, { recursive: true, withFileTypes: true }))
      if (name.isFile()) {
        const file = path.join(name.parentPath, name.name);
        files[path.relative(options.cwd, file)] = readFileSync(file, 'utf8');
      }
    seen.push(files);
    return runProcess(command, args, options);
  };
  const check = (change: Partial<ChangeToCheck> & Pick<ChangeToCheck, 'next'>) => {
    const checker = createChangeCheck({
      gate,
      reduce: createReducer(),
      harmless: createHarmless(standIn),
      slices: worldSlices,
      validators: () => [],
    });
    seen.length = 0;
    return firstValueFrom(checker({ accepted: makePlan(base), present: () => makePlan(base), ...change }));
  };

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'haptic-webhook-check-'));
    standIn = await standInCertificate(Date.now());
    gate = createGate({
      haproxy: line.path,
      withRoot: checkRootsIn(dir),
      run,
      limits: { ...defaultGateLimits, remembered: 1 },
    });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('names the section of what it refuses, after it was confirmed by the whole', async () => {
    const checked = await check({ next: makePlan(withBackend('bad', ['no-such-word'])) });
    expect(checked).toMatchObject({
      kind: 'refused',
      scope: 'full',
      findings: [{ section: { kind: 'backend', name: 'bad' }, owner: { name: 'bad' } }],
    });
  });

  it('blames nobody for what is refused without the change too', async () => {
    const broken = withBackend('old', ['no-such-word']);
    const present = (): Plan => makePlan(broken);
    expect(
      await check({ next: makePlan(withBackend('new', ['http-request deny'], broken)), present }),
    ).toMatchObject({
      kind: 'accepted',
      known: [{ section: { name: 'old' } }],
    });
    expect(
      await check({ next: makePlan(withBackend('new', ['other-word'], broken)), present }),
    ).toMatchObject({
      kind: 'refused',
      findings: [{ section: { name: 'new' } }],
    });
  });

  it('never runs code that a change brings', async () => {
    const marker = path.join(dir, `ran-${line.line}`);
    const evil = makePlan({
      ...base,
      core: { ...base.core, '0 global': 'global\n  lua-load general/evil.lua\n  maxconn 100\n' },
      files: { 'general/evil.lua': { text: `local f = io.open("${marker}", "w") f:write("x") f:close()` } },
    });
    // No object brings it: it is said where the configuration is admitted.
    expect(await check({ next: evil })).toMatchObject({ kind: 'accepted', notJudged: [] });
    expect(existsSync(marker)).toBe(false);
  });

  it('reads no file outside of the render, and says what it did not judge', async () => {
    const outside = path.join(dir, 'outside.http');
    const checked = await check({ next: makePlan(withBackend('nosy', [`errorfile 503 ${outside}`])) });
    expect(checked).toMatchObject({
      kind: 'accepted',
      notJudged: [expect.stringContaining('lines of backend nosy were not judged by HAProxy') as unknown],
    });
    // It is not there: HAProxy would have said so.
    expect(
      (await firstValueFrom(gate.check(makePlan(withBackend('nosy', [`errorfile 503 ${outside}`]))))).kind,
    ).toBe('refused');
  });

  it('takes no refusal for one that only misses what was left out', async () => {
    const body = ['acl bad src -f /etc/nowhere', 'http-request deny if bad'];
    expect(await check({ next: makePlan(withBackend('nosy', body)) })).toMatchObject({
      kind: 'accepted',
      scope: 'full',
      notJudged: [expect.stringContaining('they name a file outside of the configuration') as unknown],
    });
    expect(await check({ next: makePlan(withBackend('nosy', ['balance frob', ...body])) })).toMatchObject({
      kind: 'refused',
      findings: [{ section: { name: 'nosy' } }],
    });
  });

  it('says so to whoever brings such lines, and to nobody after', async () => {
    const nosy = withBackend('nosy', ['errorfile 503 /etc/nowhere.http']);
    const accepted = makePlan(nosy);
    const change = async (sketch: Sketch) => {
      const checked = await check({ accepted, next: makePlan(sketch), present: () => accepted });
      return checked.kind === 'accepted' ? checked.notJudged.length : checked.kind;
    };
    expect(await change(withBackend('other', ['http-request deny'], nosy))).toBe(0);
    const whole = { ...nosy, core: { ...base.core, '0 global': 'global\n  maxconn 101\n' } };
    expect(await change(whole)).toBe(0);
    expect(await change(withBackend('nosy', ['errorfile 502 /etc/nowhere.http'], nosy))).toBe(1);
  });

  it('has no list of certificates lead outside', async () => {
    const list = (entry: string) => ({
      ...base,
      core: {
        ...base.core,
        '2 web': 'frontend web from std\n  bind 127.0.0.1:443 ssl crt-list general/list.txt\n',
      },
      files: { 'general/list.txt': { text: `${entry}\n` } },
    });
    expect((await check({ next: makePlan(list('/etc/nowhere.pem')) })).kind).toBe('accepted');
    expect(seen.flatMap((one) => Object.values(one)).join('')).not.toContain('nowhere');
    expect((await check({ next: makePlan(list('ssl/nowhere.pem')) })).kind).toBe('refused');
  });

  it('gives HAProxy a stand-in for every certificate, and reads those that are new itself', async () => {
    const { cert, key } = await issueAuthority(Date.now(), 3_600_000);
    const withCertificate = (text: string) =>
      makePlan({
        ...base,
        core: {
          ...base.core,
          '2 web': 'frontend web from std\n  bind 127.0.0.1:443 ssl crt-list ssl/list.txt\n',
        },
        crtLists: { 'ssl/list.txt': ['ssl/shop.pem'] },
        files: { 'ssl/shop.pem': { kind: 'cert', text } },
      });
    expect((await check({ next: withCertificate(`${cert}${key}`) })).kind).toBe('accepted');
    const files = seen.flatMap((one) => Object.values(one)).join('\n');
    expect(files).toContain('PRIVATE KEY');
    expect(files).not.toContain(key.trim());

    const stranger = await issueAuthority(Date.now(), 3_600_000);
    for (const [text, words] of [
      ['garbage', 'there is no certificate in it'],
      [cert, 'there is no private key in it'],
      [`${cert}${stranger.key}`, 'the private key does not belong to the certificate'],
    ] as const) {
      const checked = await check({ next: withCertificate(text) });
      expect(checked).toMatchObject({
        kind: 'refused',
        findings: [{ message: `the certificate ssl/shop.pem is of no use: ${words}` }],
      });
      expect(seen).toEqual([]);
    }
  });
});
