import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { makePlan } from '../fixtures/make-plan.ts';

const canary = 'eyJhbGciOiJSUzI1NiJ9.canary-of-a-token.4f71';

let folder: string;
let token: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-foreign-'));
  token = path.join(folder, 'token');
  await writeFile(token, canary);
});
afterAll(() => rm(folder, { recursive: true }));

const head = `global
defaults
  mode http
  timeout connect 1s
  timeout client 1s
  timeout server 1s
`;

describeEachLine('a file of this process that a configuration names', (line) => {
  const check = (lines: string, maps: Readonly<Record<string, string>> = {}) =>
    lastValueFrom(
      createGate({
        haproxy: line.path,
        withRoot: checkRootsIn(tmpdir()),
        run: runProcess,
        limits: defaultGateLimits,
      }).check(
        makePlan({
          core: { '0 head': head, '1 frontend': `frontend f\n  bind 127.0.0.1:18080\n${lines}` },
          files: Object.fromEntries(Object.entries(maps).map(([name, text]) => [name, { text }])),
        }),
      ),
    );

  it.each([
    ['addresses', '  acl x src -f FILE\n'],
    ['numbers', '  acl x url_port -f FILE\n'],
    ['a map', '  http-request set-var(txn.a) src,map_ip(FILE)\n'],
    ['a crt-list', '  bind 127.0.0.1:18443 ssl crt-list FILE\n'],
  ])('is repeated in no word of the check where it is taken for %s', async (_what, lines) => {
    for (const file of [token, path.relative('/tmp', token).replace(/^/, '../'), `${folder}/./token`]) {
      const verdict = await check(lines.replace('FILE', file));
      expect(verdict.kind).toBe('refused');
      expect(JSON.stringify(verdict)).not.toContain('canary');
    }
  });

  it('is named, with the line of the configuration that is to be blamed', async () => {
    const verdict = await check(`  acl x src -f ${token}\n`);
    if (verdict.kind !== 'refused') throw new Error(verdict.kind);
    const [finding] = verdict.findings;
    expect(finding?.message).toMatch(/parsing \[haproxy.cfg:9\].*line 1 of '.*token' cannot be understood/);
    expect(finding).toMatchObject({ line: 9 });
  });

  it('is something else than a file of the render, which is repeated', async () => {
    const verdict = await check('  acl x src -f general/list.txt\n', { 'general/list.txt': 'no-address\n' });
    expect(JSON.stringify(verdict)).toContain('no-address');
  });
});
