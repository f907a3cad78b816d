import { expect, it } from 'vitest';
import { getEntry, valuesOf } from '../../../../src/lib/ordered-map.ts';
import { runWithTurns } from '../../../../src/lib/run-with-turns.ts';
import { decodePlan } from '../../../../src/plan/decode-plan.ts';
import { encodePlan } from '../../../../src/plan/encode-plan.ts';
import { planWithoutPasswords } from '../../../../src/sinks/publish/plan-without-passwords.ts';
import { makePlan } from '../../../fixtures/make-plan.ts';

const planOf = (password: string) =>
  makePlan({
    core: {
      global: 'global\n  maxconn 1\n',
      'userlist users': `userlist users\n  user "ann" password "${password}"\n\tuser\tben\tinsecure-password\t${password}\n`,
      'frontend stats': `frontend stats\n  stats auth ann:${password}\n`,
    },
    profiles: { p: [`stats auth ann:${password}`] },
    backends: { b: { profile: 'p', body: [`stats auth ben:${password}`] } },
    maps: { 'maps/path.map': { entries: [['a', 'x']] } },
  });
const shown = (password: string) => runWithTurns(planWithoutPasswords(planOf(password)));

it('has no password in any text, and the digests of what is shown', async () => {
  const plan = await shown('hush-a91');
  const blob = await encodePlan(plan);
  const decoded = await decodePlan(blob ?? new Uint8Array());
  if (decoded.kind !== 'decoded') throw new Error(decoded.reason);
  const config = Buffer.concat(getEntry(decoded.plan.files, 'haproxy.cfg')?.content() ?? []).toString();
  const texts = [
    config,
    ...[...valuesOf(decoded.plan.profiles), ...valuesOf(decoded.plan.backends)].map(({ text }) => text),
  ];
  expect(texts.join('')).not.toContain('hush');
  expect(config).toContain('  user [redacted]\n');
  expect(config).toContain('maxconn 1');
});

it('is the same for every password, so that nothing can be learnt from ids and digests', async () => {
  expect((await shown('one')).id).toBe((await shown('another')).id);
  expect(planOf('one').id).not.toBe(planOf('another').id);
});

it('is the plan itself where there is no password', async () => {
  const plan = makePlan({ core: { global: 'global\n' } });
  expect(await runWithTurns(planWithoutPasswords(plan))).toBe(plan);
});
