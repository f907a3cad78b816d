import { readdir } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { expectOnDisk } from '../fixtures/expect-on-disk.ts';
import { applyBody, manifestFile, manifestOf, patchBody } from '../fixtures/agent-harness.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { siteFiles } from '../fixtures/site-config.ts';
import { digest } from '../../src/lib/digest.ts';

describeEachLine('the agent keeps out', (line) => {
  const scene = useAgentScene(line);
  const begin = async () => {
    const { talk, site } = scene();
    const files = siteFiles(site({ app: [{ name: 'a', port: 9 }] }), { '/': 'app' });
    expect((await talk.reload(files)).body.ok).toBe(true);
    return files;
  };
  const expectInBase = (name: string, text = '') =>
    expectOnDisk(path.join(scene().haproxy.baseDir, name), text);
  const unchanged = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) await expectInBase(name, text);
    const left = await readdir(path.join(scene().haproxy.baseDir, '.haptic-tmp')).catch(() => []);
    expect(left).toEqual([]);
    expect(await scene().haproxy.reloads()).toBe(1);
    expect(await scene().harness.state()).toMatchObject({ applied_plan_id: 'plan-1', generation: 1 });
  };

  it('whoever expects something else than what is there, and says what is there', async () => {
    const files = await begin();
    const { harness } = scene();
    const state = await harness.state();
    const next = { ...files, 'maps/path.map': '/other app\n' };
    const attempt = (overrides: Parameters<typeof manifestOf>[2]) =>
      harness.send(patchBody(manifestOf(state, next, overrides), files, next));
    const expectations = [
      [{ expected_prev_plan_id: 'other' }, 'prev_mismatch'],
      [{ expected_prev_plan_proof: 'a:99' }, 'prev_mismatch'],
      [{ expected_prev_token: { leader_epoch: 1, render_seq: 77 } }, 'prev_mismatch'],
      [{ expected_worker_ops_plan_id: 'other' }, 'worker_ops_mismatch'],
      [{ token: { leader_epoch: 0, render_seq: 5 } }, 'stale_epoch'],
    ] as const;
    for (const [overrides, reason] of expectations) {
      const reply = await attempt(overrides);
      expect(reply).toMatchObject({
        status: 409,
        body: {
          reason,
          applied_plan_id: 'plan-1',
          applied_plan_proof: 'a:1',
          worker_ops_plan_id: 'plan-1',
          applied_token: { leader_epoch: 1, render_seq: 1 },
        },
      });
    }
    await unchanged(files);
  });

  it('of two applies on the same state the second one', async () => {
    const files = await begin();
    const { harness } = scene();
    const state = await harness.state();
    const send = (text: string, plan: string) => {
      const next = { ...files, 'maps/path.map': text };
      return harness.send(patchBody(manifestOf(state, next, { plan_id: plan }), files, next));
    };
    const replies = await Promise.all([send('/one app\n', 'one'), send('/two app\n', 'two')]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
    const winner = replies.find((reply) => reply.status === 200);
    await expectInBase('maps/path.map', `/${winner?.body.plan_id ?? ''} app\n`);
  });

  it('files whose bytes it does not have, by name, and takes them when they come', async () => {
    const files = await begin();
    const { harness } = scene();
    const state = await harness.state();
    const next = { ...files, 'maps/b.map': 'k v\n', 'maps/a.map': 'k v\n' };
    const manifest = manifestOf(state, next);
    expect(await harness.send(applyBody(manifest, {}))).toEqual({
      status: 409,
      body: { missing: ['maps/a.map', 'maps/b.map'] },
    });
    const wrongBase = {
      ...manifest,
      files: manifest.files.map((file) =>
        file.path === 'haproxy.cfg'
          ? { ...file, patch: { base_digest: 'f'.repeat(16), base_size: file.size, offset: 0, length: 0 } }
          : file,
      ),
    };
    const parts = { 'haproxy.cfg': '', 'maps/a.map': 'k v\n', 'maps/b.map': 'k v\n' };
    expect(await harness.send(applyBody(wrongBase, parts))).toEqual({
      status: 409,
      body: { missing: ['haproxy.cfg'] },
    });
    const withoutProof = {
      ...manifest,
      files: manifest.files.map(({ proof, ...file }) =>
        file.path === 'haproxy.cfg' ? file : { ...file, proof: proof ?? '' },
      ),
    };
    expect(
      (await harness.send(applyBody(withoutProof, { 'maps/a.map': 'k v\n', 'maps/b.map': 'k v\n' }))).body,
    ).toEqual({ missing: ['haproxy.cfg'] });
    await unchanged(files);
    const whole = await harness.send(applyBody(manifest, { 'maps/a.map': 'k v\n', 'maps/b.map': 'k v\n' }));
    expect(whole).toMatchObject({ status: 200, body: { ok: true, mode: 'file_only' } });
    await expectInBase('maps/a.map', 'k v\n');
  });

  it('bytes that are not what the manifest says', async () => {
    const files = await begin();
    const { harness } = scene();
    const state = await harness.state();
    const next = { ...files, 'maps/a.map': 'k v\n' };
    const manifest = manifestOf(state, next);
    const large = 'x'.repeat(5 * 1024 * 1024);
    const cases = [
      [applyBody(manifest, { 'maps/a.map': 'k w\n' }), 'has digest'],
      [applyBody(manifest, { 'maps/a.map': 'k' }), 'bytes'],
      [applyBody(manifest, { 'maps/a.map': 'k v and more\n' }), 'more than 4 bytes'],
      [
        applyBody(manifest, { 'maps/a.map': 'k v\n', 'maps/z.map': '' }),
        '"maps/z.map" is not in the manifest',
      ],
      [
        applyBody(
          {
            ...manifest,
            files: [...manifest.files, { ...manifestFile('large', large), digest: digest('other') }],
          },
          { 'maps/a.map': 'k v\n', large },
        ),
        'has digest',
      ],
    ] as const;
    for (const [body, message] of cases) {
      const reply = await harness.send(body);
      expect(reply).toMatchObject({ status: 400, body: { stage: 'parts' } });
      expect(reply.body.message).toContain(message);
    }
    await unchanged(files);
  });

  it('bodies that are no apply', async () => {
    const files = await begin();
    const { harness } = scene();
    const post = async (body: FormData | string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${harness.url}/v1/apply`, {
        method: 'POST',
        body,
        headers: { authorization: harness.authorization, ...headers },
      });
      return { status: answer.status, body: (await answer.json()) as { stage: string } };
    };
    const noManifest = new FormData();
    noManifest.append('file', new File(['x'], 'haproxy.cfg'));
    const badManifest = new FormData();
    badManifest.append('manifest', '{"plan_id":');
    const unfinished = '--b\r\ncontent-disposition: form-data; name="manifest"\r\n\r\n{}';
    const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
    expect(await post(noManifest)).toMatchObject({ status: 400, body: { stage: 'request' } });
    expect(await post(badManifest)).toMatchObject({ status: 400, body: { stage: 'manifest' } });
    expect(await post('{}', { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
    expect(await post(unfinished, multipart)).toMatchObject({ status: 400 });
    expect(await post('junk', { 'content-type': 'multipart/form-data' })).toMatchObject({ status: 400 });
    await unchanged(files);
  });

  it('a client that goes away in the middle of a file, and serves the next one', async () => {
    const files = await begin();
    const { harness } = scene();
    const next = { ...files, 'maps/a.map': 'k v\n' };
    const manifest = manifestOf(await harness.state(), next);
    const request = new Request('http://x', {
      method: 'POST',
      body: applyBody(manifest, { 'maps/a.map': 'k v\n' }),
    });
    const bytes = Buffer.from(await request.arrayBuffer());
    const { hostname, port } = new URL(harness.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      `POST /v1/apply HTTP/1.1\r\nHost: x\r\nAuthorization: ${harness.authorization}\r\n` +
        `Content-Type: ${request.headers.get('content-type') ?? ''}\r\nContent-Length: ${String(bytes.length)}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, bytes.indexOf('k v\n') + 2));
    await sleep(50);
    socket.destroy();
    const reply = await harness.send(applyBody(manifest, { 'maps/a.map': 'k v\n' }));
    expect(reply).toMatchObject({ status: 200, body: { ok: true } });
  });

  it('a megabyte-sized file by patch, byte for byte', async () => {
    const { talk, site } = scene();
    const backends = Object.fromEntries(
      Array.from({ length: 8000 }, (_, index) => [
        `a-backend-with-a-long-name-${String(index)}`,
        [{ name: 'a', port: 9 }],
      ]),
    );
    const before = siteFiles(site(backends), { '/': 'app' });
    expect(before['haproxy.cfg']?.length).toBeGreaterThan(700_000);
    const comment = `# ${'padding '.repeat(200_000)}\n`;
    const large = { ...before, 'haproxy.cfg': `${before['haproxy.cfg'] ?? ''}${comment}` };
    expect((await talk.reload(large)).body).toMatchObject({ ok: true });
    const next = { ...large, 'haproxy.cfg': large['haproxy.cfg'].replace('name-4000', 'name-four-thousand') };
    expect((await talk.runtime(next, [])).body).toMatchObject({ ok: true, mode: 'file_only' });
    await expectInBase('haproxy.cfg', next['haproxy.cfg']);
    expect((await talk.runtime(large, [])).body).toMatchObject({ ok: true, mode: 'file_only' });
    await expectInBase('haproxy.cfg', large['haproxy.cfg']);
  });

  it('nobody from the plan blob of the applied plan', async () => {
    const files = await begin();
    const { harness } = scene();
    const put = async (query: string, blob: string) => {
      const answer = await fetch(`${harness.url}/v1/plan?${query}`, {
        method: 'PUT',
        body: blob,
        headers: { authorization: harness.authorization, 'content-type': 'application/octet-stream' },
      });
      return { status: answer.status, body: await answer.json() };
    };
    expect(await put('plan_id=plan-1&proof=a:0', 'old')).toEqual({
      status: 409,
      body: { applied_plan_id: 'plan-1', applied_plan_proof: 'a:1' },
    });
    expect(await harness.state()).toMatchObject({ applied_plan_stored: false });
    expect(await put('plan_id=plan-1&proof=a:1', 'the blob')).toEqual({
      status: 200,
      body: { plan_id: 'plan-1', proof: 'a:1' },
    });
    const state = await harness.state();
    expect(Buffer.from(state.applied_plan ?? '', 'base64').toString()).toBe('the blob');
    expect(await harness.state('?plan=0')).not.toHaveProperty('applied_plan');
    await unchanged(files);
    const riding = new Uint8Array(Buffer.from('rides along'));
    const reply = await harness.send(applyBody(manifestOf(state, files, { plan_id: 'p9' }), {}, riding));
    expect(reply.body).toMatchObject({ ok: true, mode: 'noop' });
    const after = await harness.state();
    expect(Buffer.from(after.applied_plan ?? '', 'base64').toString()).toBe('rides along');
    expect((await harness.send(applyBody(manifestOf(after, files), {}))).body.ok).toBe(true);
    const later = await harness.state();
    expect(later).toMatchObject({ applied_plan_stored: false });
    expect(later).not.toHaveProperty('applied_plan');
    // What had been accepted is still told, though not as the applied plan's.
    expect(Buffer.from(later.former_plan ?? '', 'base64').toString()).toBe('rides along');
    expect(await harness.state('?plan=0')).not.toHaveProperty('former_plan');
    const { applied_plan_id: id, applied_plan_proof: proof } = later;
    expect((await put(`plan_id=${id}&proof=${proof}`, 'the next')).status).toBe(200);
    const now = await harness.state();
    expect(Buffer.from(now.applied_plan ?? '', 'base64').toString()).toBe('the next');
    expect(now).not.toHaveProperty('former_plan');
  });
});
