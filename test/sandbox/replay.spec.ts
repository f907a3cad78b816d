import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controllerTiming } from '../../src/cli/controller/controller-timing.ts';
import { recordTo } from '../../src/cli/record-to.ts';
import { type Recording, readRecording } from '../../src/replay/read-recording.ts';
import { runReplay } from '../../src/replay/run-replay.ts';
import { writeSpec } from '../../src/replay/write-spec.ts';
import { type EchoServer, startEcho } from '../fixtures/echo-server.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { type SandboxTraffic, startSandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const timing = controllerTiming.pipeline;

const line = newestHaproxyLine();

describe.skipIf(line === undefined)('a recording of a running controller', () => {
  let traffic: SandboxTraffic;
  let echo: EchoServer;
  let folder: string;
  let recording: Recording;
  let text: string;

  const app = (name: string) => [
    service({ name, selector: null }),
    endpointSlice({
      service: name,
      ports: [{ port: echo.port }],
      endpoints: [{ address: echo.host, pod: 'a', ready: true }],
    }),
    ingress({ name, rules: [{ host: `${name}.test`, paths: [{ path: '/', service: name, port: 80 }] }] }),
  ];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haptic-replay-'));
    echo = await startEcho('a');
    traffic = await startSandboxTraffic({ haproxy: line?.path ?? '' });
    await traffic.settled();
    await traffic.put(...app('before'));
    await traffic.served('before.test');
    const file = join(folder, 'recording.ndjson');
    const stop = new AbortController();
    const said: string[] = [];
    const whole = recordTo(file, {
      url: `${traffic.sandbox.controllerUrl}/debug`,
      seconds: undefined,
      signal: stop.signal,
      err: (words) => said.push(words),
    });
    await eventually('the recording has all objects', async () =>
      (await readFile(file, 'utf8').catch(() => '')).includes('"synced"') ? true : undefined,
    );
    await traffic.put(...app('during'));
    await traffic.served('during.test');
    await traffic.remove('networking.k8s.io/v1/ingresses', 'before');
    await traffic.answeredWith('before.test', 404);
    await traffic.settled();
    stop.abort();
    expect(await whole).toBe(0);
    expect(said.join('')).toContain('haptic replay');
    text = await readFile(file, 'utf8');
    recording = readRecording(text);
  });
  afterAll(async () => {
    await traffic.stop();
    await echo.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('is whole, and holds no secret', () => {
    expect(recording.notes).toStrictEqual([expect.stringContaining('of secrets it has references alone')]);
    expect(recording.entries.filter(({ kind }) => kind === 'edit').length).toBeGreaterThan(5);
    expect(text).not.toMatch(/PRIVATE KEY/);
  });

  // Not the same byte for byte: the certificate that clients without one of their own are shown is in no recording.
  test('replayed, it renders each change, and the pods are brought to the last one', () => {
    const { renders, events } = runReplay(recording, timing);
    expect(renders.recorded.length).toBeGreaterThan(2);
    expect(renders.replayed.length).toBeGreaterThan(2);
    const last = renders.replayed.at(-1);
    const wanted = events.filter(({ lane }) => lane === 'wanted').map(({ words }) => words);
    expect(wanted.at(-1)).toContain(`to ${last ?? ''}`);
    const latch = events.filter(({ lane }) => lane === 'latch').map(({ words }) => words);
    expect(latch.at(-1)).toBe(`optimistic: ${last ?? ''} is out`);
  });

  test('replayed twice, it goes the same way', () => {
    expect(runReplay(recording, timing)).toStrictEqual(runReplay(recording, timing));
  });

  test('becomes a marble spec', () => {
    const spec = writeSpec(recording, {
      timing,
      recordingPath: './x.ndjson',
      fixturesPath: '../../fixtures',
    });
    expect(spec).toContain("incident(m, new URL('./x.ndjson', import.meta.url), {");
    expect(spec).toMatch(/edits: '.*ms .*',/);
    expect(spec).toMatch(/expectLane\('renders', '/);
  });
});
