import { createHash, randomBytes } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeContent } from '../../../../src/sinks/publish/encode-content.ts';
import type { WantedFile } from '../../../../src/sinks/publish/wanted-files.ts';

const { signal } = new AbortController();
const fileOf = (content: string | Buffer, kind: WantedFile['kind'] = 'general'): WantedFile => {
  const bytes = Buffer.from(content);
  const half = bytes.byteLength >> 1;
  return {
    kind,
    name: 'n',
    path: '/etc/haproxy/general/f',
    fileName: 'f',
    digest: 'd',
    size: bytes.byteLength,
    content: () => [bytes.subarray(0, half), bytes.subarray(half)],
  };
};
const shaOf = (content: string | Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const decompressed = (text: string) => zstdDecompressSync(Buffer.from(text, 'base64'));

describe('encodeContent', () => {
  it('has the text as it is, up to the threshold', async () => {
    const object = await encodeContent(fileOf('aä\n'), 4, signal);
    expect(object).toMatchObject({ text: 'aä\n', compressed: false, checksum: shaOf('aä\n'), digest: 'd' });
    expect(object).not.toHaveProperty('oversized');
  });

  it('compresses above the threshold, and what is no text', async () => {
    const large = await encodeContent(fileOf('a'.repeat(5)), 4, signal);
    expect(large).toMatchObject({ compressed: true, checksum: shaOf('aaaaa') });
    expect(decompressed(large.text).toString()).toBe('aaaaa');
    const binary = Buffer.from([0xff, 0xfe]);
    const raw = await encodeContent(fileOf(binary), 1000, signal);
    expect(raw.compressed).toBe(true);
    expect(decompressed(raw.text)).toStrictEqual(binary);
  });

  it('compresses below the threshold what would not fit, unless it must never', async () => {
    const lines = '\n'.repeat(900_000);
    expect(await encodeContent(fileOf(lines), 2_000_000, signal)).toMatchObject({ compressed: true });
    const whole = await encodeContent(fileOf(lines), 0, signal);
    expect(whole).toMatchObject({ compressed: false, oversized: 900_000, checksum: shaOf(lines) });
    expect(whole.text).toBe(
      '# 900000 bytes do not fit into a Kubernetes object: read /etc/haproxy/general/f on a HAProxy pod\n',
    );
  });

  it('says so in place of what does not fit, however it is compressed', async () => {
    const noise = randomBytes(1_200_000).toString('hex');
    const object = await encodeContent(fileOf(noise), 1000, signal);
    expect(object).toMatchObject({ compressed: false, oversized: 2_400_000, checksum: shaOf(noise) });
    expect(object.text.length).toBeLessThan(200);
  });

  it('leaves room for the status beside a haproxy.cfg', async () => {
    const noise = randomBytes(900_000).toString('hex');
    expect(await encodeContent(fileOf(noise), 1000, signal)).toMatchObject({ compressed: true });
    expect(await encodeContent(fileOf(noise, 'config'), 1000, signal)).toMatchObject({
      oversized: 1_800_000,
    });
  });

  it('hides users and their passwords in haproxy.cfg, and nowhere else', async () => {
    const config = [
      'userlist people',
      '  user jane password $5$salt$hash groups a,b',
      '\tuser  joe   insecure-password  geheim # theirs',
      '  user jim insecure-password "so \\" geheim" groups a',
      "  user jon insecure-password so\\ ge'h e'im",
      'frontend http',
      '  stats auth admin:adminpwd',
      '  stats auth "admin":\'admin pwd\'',
      '  http-request set-header X-Hint "password forgotten"',
      '',
    ].join('\n');
    const object = await encodeContent(fileOf(config, 'config'), 0, signal);
    expect(object.text).toBe(
      [
        'userlist people',
        '  user [redacted]',
        '\tuser  [redacted]',
        '  user [redacted]',
        '  user [redacted]',
        'frontend http',
        '  stats auth [redacted]',
        '  stats auth [redacted]',
        '  http-request set-header X-Hint "password forgotten"',
        '',
      ].join('\n'),
    );
    expect(object.checksum).toBe(shaOf(config));
    expect((await encodeContent(fileOf(config), 0, signal)).text).toBe(config);
  });

  it('ends when it is not wanted any more', async () => {
    await expect(encodeContent(fileOf('a'), 0, AbortSignal.abort())).rejects.toThrow(/abort/i);
  });
});
