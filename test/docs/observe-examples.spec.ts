import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { haproxyLabels, systemNamespace } from '../../src/sandbox/system-objects.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import { answering, snippet, snippetConfig } from '../fixtures/snippet-config.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/observe.md'), 'utf8');
/** Indented blocks, whole: a recording has to be made before it is replayed. */
const blocks = [...page.matchAll(/(?:^ {4}\S.*\n)+/gm)]
  .map(([block]) => block.replaceAll(/^ {4}/gm, ''))
  .filter((block) => /^(?:curl|haptic) /.test(block));

/** Without what a server has put in. */
const fresh = (object: KubeObject): KubeObject => {
  const { name, namespace, labels } = object.metadata;
  return {
    ...object,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: labels ?? {} },
  };
};

/** What the page lets run for a minute; seconds do here, while something happens. */
const shortened = (script: string) => script.replaceAll('for=60', 'for=4').replaceAll('--for 1m', '--for 4s');

describe('the examples of docs/observe.md, in a sandbox where something is wrong', () => {
  let sandbox: Sandbox;
  let home: string;
  const outputs = new Map<string, string>();

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'haptic-observe-'));
    const program = join(home, 'haptic');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/main.ts')}' "$@"\n`);
    chmodSync(program, 0o755);
    sandbox = await startSandbox({ env: process.env, config: snippetConfig });
    const { client } = sandbox.api;
    const objects = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      // A problem, an object that HAProxy refuses, and a pod that is none of ours.
      ingress({
        name: 'lonely',
        rules: [{ host: 'lonely.test', paths: [{ path: '/', service: 'nobody' }] }],
      }),
      snippet('bad', 'nonsense'),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'stranger', namespace: systemNamespace, labels: haproxyLabels },
        spec: { containers: [{ name: 'web', image: 'web' }] },
        status: { phase: 'Running', podIP: '127.0.0.1' },
      },
    ];
    for (const object of objects) await firstValueFrom(client.create(fresh(object)));
  });
  afterAll(async () => {
    await sandbox.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const environment = () => ({
    PATH: `${home}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home,
    HAPTIC_DEBUG: `${sandbox.controllerUrl}/debug`,
  });
  const run = async (script: string) => {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      timeout: 150_000,
      cwd: home,
      maxBuffer: 64 * 2 ** 20,
      env: environment(),
    });
    return stdout;
  };
  const shown = (words: string) => {
    const [, output] = [...outputs].find(([script]) => script.includes(words)) ?? [];
    expect(output, words).toBeDefined();
    return output ?? '';
  };

  test('the controller brings its pod to a configuration without the refused object', async () => {
    const held = () => run('curl -sN "$HAPTIC_DEBUG/taps/quarantine?limit=1"').catch(() => '');
    await expect.poll(held, { timeout: 120_000, interval: 500 }).toContain('"state":"refused"');
    const served = () => run('curl -sN "$HAPTIC_DEBUG/taps/deployments?limit=1"').catch(() => '');
    await expect.poll(served, { timeout: 60_000, interval: 500 }).toContain('"converged":1');
  });

  test.each(blocks.map((script, i) => [i + 1, script] as const))('block %i: %s', async (_, script) => {
    let turn = 0;
    // Something happens meanwhile.
    const churn = setInterval(() => {
      const object = snippet(`n${turn++}`, answering(200 + turn));
      firstValueFrom(sandbox.api.client.create(object)).catch(() => undefined);
    }, 1_000);
    try {
      outputs.set(script, await run(shortened(script)));
    } finally {
      clearInterval(churn);
    }
  });

  test('all of the page is run', () => {
    const lines = [...page.matchAll(/^ {4}(?:curl|haptic) .*$/gm)];
    expect(lines.length).toBeGreaterThan(12);
    expect(blocks.join('').match(/^(?:curl|haptic) /gm)).toHaveLength(lines.length);
  });

  test('they show what they promise', () => {
    expect(shown('/explain')).toMatch(/"leadsTo": \[[^]*"default_echo_http"[^]*"problems": \[\]/);
    expect(shown('taps/deliveries')).toContain('"deliveries"');
    expect(shown('taps/deliveries')).toMatch(/^\{"pod":"haptic\/haproxy-0","mode":"\w+","operations":/m);
    expect(shown('field={.planId}')).toMatch(/^"\w+"\n$/);
    expect(shown('vars/startup')).toMatch(/\d/);
    expect(shown('vars/load')).toContain('"kind": "accepted"');
    expect(shown('/events')).toMatch(/"correlationId":/);
    expect(shown('.problems[]')).toMatch(/"reason":"BackendMissing"[^]*"name":"lonely"/);
    expect(shown('taps/quarantine')).toMatch(/"kind": "excluded",\n +"state": "refused",[^]*nonsense/);
    expect(shown('taps/deployments')).toMatch(/"converged": 1,/);
    expect(shown('.rejected[]')).toContain('{"key":"haptic/stranger","reason":"agent_missing"}');
  });

  test('the profiles are such as DevTools open', () => {
    const profile = (name: string) =>
      JSON.parse(readFileSync(join(home, name), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(profile('haptic.cpuprofile'))).toEqual(
      expect.arrayContaining(['nodes', 'samples', 'timeDeltas']),
    );
    expect(Object.keys(profile('haptic.heapprofile'))).toEqual(expect.arrayContaining(['head', 'samples']));
  });

  test('a recording is what replay reads', () => {
    expect(readFileSync(join(home, 'incident.ndjson'), 'utf8').split('\n').length).toBeGreaterThan(3);
    expect(shown('haptic replay')).toMatch(/^renders? /m);
  });

  test('a stream of taps goes on until its reader goes', async () => {
    const child = spawn('curl', [
      '-sN',
      `${sandbox.controllerUrl}/debug/stream?tap=renders&tap=deliveries&limit=2`,
    ]);
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(output).toMatch(/^\{"tap":"(?:renders|deliveries)","seq":\d+,"at":\d+,"value":/);
  });
});
