import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reloadCause } from '../../../src/sinks/reload-cause.ts';

test.each([
  ['no baseline: what the pod holds is not known', 'baseline'],
  ['a reload of the pod is pending', 'pending_reload'],
  ['the agent does not execute backend_add', 'agent'],
  ['900 runtime operations are more than the 800 of one apply', 'too_many_operations'],
  ['101 backends to delete at once are more than 100', 'too_many_operations'],
  ['profile haptic-be-1: new, and HAProxy reads profiles only at start', 'profile'],
  ['backend shop: server a: new, and …', 'server'],
  ['backend shop: "balance" changed, which HAProxy cannot alter at runtime', 'backend'],
  ['map maps/host.map: removed, but the worker has it loaded', 'map'],
  ['crt-list lists/a.list: new, and its entries are not declared', 'crt_list'],
  ['certificate ssl/a.pem: new, and …', 'certificate'],
  ['CA file ca/a.pem: changed, and …', 'certificate'],
  ['CRL file crl/a.pem: changed, and …', 'certificate'],
  ['config haproxy.cfg: changed with no section explaining it', 'config'],
  ['haproxy.cfg: the order of sections changed at frontend a', 'config'],
  ['file errors/503.http: changed, and declared as read at start', 'file'],
  ['frontend http: changed (base/frontends)', 'section'],
  ['and 12 more', 'other'],
])('%s is about the %s', (reason, cause) => {
  expect(reloadCause(reason)).toBe(cause);
});

test('no reason that a rule can give is about something else', () => {
  const folder = join(import.meta.dirname, '../../../src/plan');
  const reasons = readdirSync(folder)
    .filter((name) => name.startsWith('diff'))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/draft\.reload\(\s*[`']([^`']+)[`']/g),
    ])
    .map((match) => match[1] ?? '');
  expect(reasons.length).toBeGreaterThan(20);
  const filled = reasons.map((reason) =>
    reason
      .replace(/^\$\{what\}/, 'certificate a')
      .replace(/^\$\{name\}/, 'frontend a')
      .replace(/^\$\{(total|added \+ pending)\}/, '9')
      .replace(/\$\{[^}]*\}/g, 'a'),
  );
  expect(filled.filter((reason) => reloadCause(reason) === 'other')).toStrictEqual([]);
});
