import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gatesByValidators } from '../../src/cli/controller/gates-by-validators.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { makePlan } from '../fixtures/make-plan.ts';

const planOf = (word: string) =>
  makePlan({
    core: {
      '0 global': `global\n  default-path origin /etc/haproxy\n  ${word}\n`,
      '1 frontend': 'frontend web\n  mode http\n  timeout client 5s\n  bind 127.0.0.1:80\n',
    },
  });
const good = planOf('maxconn 10');
const bad = planOf('no-such-keyword');

describeEachLine('gatesByValidators', (line) => {
  let folder: string;
  let haproxy: string;
  let asked: number;
  let validator: Server;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'haptic-gates-'));
    haproxy = path.join(folder, 'haproxy');
    writeFileSync(haproxy, `#!/bin/sh\necho run >> ${folder}/runs\nexec ${line.path} "$@"\n`);
    chmodSync(haproxy, 0o755);
    asked = 0;
    validator = createServer((socket) => {
      socket.once('data', (data) => {
        asked++;
        const { id } = JSON.parse(data.toString().split('\n')[0] ?? '') as { id: string };
        socket.end(`${JSON.stringify({ id, valid: true })}\n`);
      });
    });
    await new Promise<void>((resolve) => validator.listen(path.join(folder, 'v.sock'), resolve));
  });
  afterEach(async () => {
    await new Promise((resolve) => validator.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const runs = () =>
    existsSync(`${folder}/runs`) ? readFileSync(`${folder}/runs`, 'utf8').trim().split('\n').length : 0;
  const validators = (name: string) =>
    loadConfig([
      {
        name: 'test',
        text: JSON.stringify({
          haproxyConfig: { template: 'x' },
          validators: [{ name, socketPath: path.join(folder, 'v.sock') }],
        }),
      },
    ]).validators;

  it('asks once for one content, whichever configuration of the same validators it is of', async () => {
    const check = gatesByValidators({ haproxy });
    expect(await firstValueFrom(check(good, { validators: [] }))).toMatchObject({ kind: 'accepted' });
    expect(await firstValueFrom(check(good, { validators: [] }))).toMatchObject({ kind: 'accepted' });
    expect(runs()).toBe(1);
    expect(await firstValueFrom(check(bad, { validators: [] }))).toMatchObject({ kind: 'refused' });
    expect(runs()).toBe(2);
  });

  it('asks again with other validators, and each that there is', async () => {
    const check = gatesByValidators({ haproxy });
    await firstValueFrom(check(good, { validators: [] }));
    expect(asked).toBe(0);
    const one = validators('one');
    expect(await firstValueFrom(check(good, { validators: one }))).toMatchObject({ kind: 'accepted' });
    expect([runs(), asked]).toEqual([2, 1]);
    await firstValueFrom(check(good, { validators: structuredClone(one) }));
    expect([runs(), asked]).toEqual([2, 1]);
    await firstValueFrom(check(good, { validators: validators('other') }));
    expect([runs(), asked]).toEqual([3, 2]);
  });

  it('forgets sets of validators that were not asked for long', async () => {
    const check = gatesByValidators({ haproxy });
    await firstValueFrom(check(good, { validators: [] }));
    for (const name of ['a', 'b', 'c', 'd'])
      await firstValueFrom(check(good, { validators: validators(name) }));
    await firstValueFrom(check(good, { validators: [] }));
    expect(runs()).toBe(6);
  });
});
