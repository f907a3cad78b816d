import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, request } from 'undici';
import { startBareHaproxy } from './lib/bare-haproxy.ts';
import { cpuUsEach } from './lib/cpu-us-each.ts';
import { findLines } from './lib/find-lines.ts';
import { freePort } from './lib/free-port.ts';
import { rounded } from './lib/statistics.ts';

const checks = Number(process.env['HAPTIC_BENCH_CHECKS'] ?? 100);

/** The sums are of no password: `crypt` takes as long to find that out. */
const kinds = {
  md5: `$1$saltsalt$${'.'.repeat(22)}`,
  sha256: `$5$saltsaltsaltsalt$${'.'.repeat(43)}`,
  sha512: `$6$saltsaltsaltsalt$${'.'.repeat(86)}`,
  bcryptOfCost5: `$2y$05$${'.'.repeat(53)}`,
  bcryptOfCost10: `$2y$10$${'.'.repeat(53)}`,
} as const;
const lengths = [12, 64, 511];

/**
 * What a check of a password costs a thread of HAProxy, in ms of CPU time, by its kind of hash and the length of what a client sends; on the newest line
 * and the oldest. `plain` is `user::password`. Requests without a password (401 as well) are taken off.
 */
export async function run(): Promise<object> {
  const lines = findLines();
  const measured = new Map(
    [lines[0], lines.at(-1)].flatMap((line) => (line ? [[line.line, line.path]] : [])),
  );
  const report: Record<string, unknown> = { checks };
  for (const [line, haproxy] of measured) report[line] = await measureLine(haproxy);
  return report;
}

async function measureLine(haproxy: string): Promise<object> {
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-passwords-'));
  const port = await freePort();
  const agent = new Agent({ connections: 1, pipelining: 1 });
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  resources.defer(() => agent.close());
  const process = await startBareHaproxy(haproxy, folder, { 'haproxy.cfg': configOf(port) }, port);
  resources.defer(process.stop);

  const ask = (user: string, length?: number) => {
    const password = 'p'.repeat(length ?? 0);
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return cpuUsEach(process, checks, async () => {
      const headers = length === undefined ? {} : { authorization };
      const answer = await request(`http://127.0.0.1:${port}/`, { dispatcher: agent, headers });
      await answer.body.dump();
      if (answer.statusCode !== 401) throw new Error(`a wrong password was answered ${answer.statusCode}`);
    });
  };
  const floor = await ask('nobody');
  const report: Record<string, Record<string, number>> = {};
  for (const kind of ['plain', ...Object.keys(kinds)]) {
    const byLength: Record<string, number> = {};
    for (const length of lengths)
      byLength[`${length} characters`] = rounded((await ask(kind, length)) / 1000 - floor / 1000, 3);
    report[kind] = byLength;
  }
  return report;
}

const configOf = (port: number) => `global
    nbthread 1
defaults
    mode http
    timeout client 1m
userlist all
    user plain insecure-password another
${Object.entries(kinds)
  .map(([user, hash]) => `    user ${user} password ${hash}`)
  .join('\n')}
frontend answers
    bind 127.0.0.1:${port}
    http-request return status 200 if { http_auth(all) }
    http-request return status 401
`;
