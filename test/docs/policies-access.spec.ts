import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/policies-access.md'), 'utf8');

/** As the API server would have it: `stringData` is what is written only. */
function asStored(object: KubeObject & { readonly stringData?: Record<string, string> }): KubeObject {
  const { stringData, metadata } = object;
  return stringData === undefined
    ? object
    : secret({ name: metadata.name, type: 'Opaque', data: stringData });
}

const objects = (page.match(/(?:^(?: {4}.*)?\n)+/gm) ?? [])
  .filter((block) => block.includes('apiVersion:'))
  .flatMap((block) => block.split(/\n\n(?= {4}apiVersion)/))
  .map((block) => asStored(parse(block) as KubeObject));
/** Rows such as "| `host/path` with `Name: value` | 401 |", which are tried in their order. */
const rows = [...page.matchAll(/^\| `([^`/]+)(\/[^`]*)`(?: with `([^`]+)`)? +\| (\d{3}) +\|$/gm)].map(
  ([, host = '', target = '', header, outcome]) => ({ host, target, header, outcome: Number(outcome) }),
);

const haproxy = newestHaproxyLine();

describe.skipIf(haproxy === undefined)('docs/policies-access.md', () => {
  const pool = setUp(() => startEchoPool('shop', 'oauth2-proxy'));
  const world = setUp(() => {
    if (haproxy === undefined) throw new Error('no HAProxy');
    return startIngressTraffic(haproxy, [...pool.objects, ...objects]);
  });

  it('has an example and rows for what it tells', () => {
    expect(objects).toHaveLength(8);
    expect(rows).toHaveLength(9);
  });

  it('has examples without a fault', () => {
    expect(world.started.problems.map(({ message }) => message)).toEqual([]);
  });

  it.each(rows)('$host$target $header: $outcome', async ({ host, target, header, outcome }) => {
    const { status } = await world.request({ host, target, headers: header === undefined ? [] : [header] });
    expect(status).toBe(outcome);
  });
});
