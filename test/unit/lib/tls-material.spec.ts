import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followTlsFolder } from '../../../src/lib/tls/tls-folder.ts';
import { tlsFiles, tlsMaterial } from '../../../src/lib/tls/tls-material.ts';
import { type AgentCertificates, day, makeAgentCertificates } from '../../fixtures/agent-certificates.ts';

let made: AgentCertificates;
let other: AgentCertificates;
let good: Readonly<Record<string, string>>;
let foreign: Readonly<Record<string, string>>;

async function filesIn(dir: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of tlsFiles) {
    const text = await readFile(path.join(dir, name), 'utf8').catch(() => undefined);
    if (text !== undefined) files[name] = text;
  }
  return files;
}

beforeAll(async () => {
  made = await makeAgentCertificates();
  other = await makeAgentCertificates();
  good = await filesIn(made.serverDir);
  foreign = await filesIn(other.serverDir);
});
afterAll(async () => {
  await made.remove();
  await other.remove();
});

const now = Date.now();
const hourAhead = new Date(now + 3_600_000).toISOString();
const load = (change: Readonly<Record<string, string | undefined>> = {}, time = now) =>
  tlsMaterial(
    Object.fromEntries(Object.entries({ ...good, ...change }).filter((entry) => entry[1] !== undefined)),
    time,
    '/tls',
  );

describe('an identity', () => {
  it('is certificate, key and trust', () => {
    const material = load();
    expect(material.trust).toHaveLength(1);
    expect(material.leaf.subjectAltName).toContain('haptic-agent-tls');
    expect(material.staleAt).toBe(material.leaf.validToDate.getTime());
    expect(load().id).toBe(material.id);
  });

  it('is another one with another key or trust', () => {
    const trusting = load({ 'ca.crt': `${good['ca.crt'] ?? ''}${foreign['ca.crt'] ?? ''}` });
    expect(trusting.trust).toHaveLength(2);
    expect(trusting.trustId).not.toBe(load().trustId);
    const own = load({ 'tls.crt': foreign['tls.crt'], 'tls.key': foreign['tls.key'] });
    expect(own.trustId).toBe(load().trustId);
    expect(own.id).not.toBe(load().id);
  });

  it.each([
    ['tls.crt', undefined, 'tls.crt: is missing or empty'],
    ['tls.crt', ' \n', 'tls.crt: is missing or empty'],
    ['tls.crt', 'nonsense', 'tls.crt: holds no certificate'],
    [
      'tls.crt',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'tls.crt: holds a certificate that cannot be read',
    ],
    ['tls.key', undefined, 'tls.key: is missing or empty'],
    ['tls.key', 'SECRET-TEXT', 'tls.key: holds no private key that can be read'],
    ['ca.crt', undefined, 'ca.crt: is missing or empty'],
    ['ca.crt', '', 'ca.crt: is missing or empty'],
    ['previous-ca.crt', 'x', 'previous-ca-until: must say until when'],
    ['previous-ca-until', hourAhead, 'previous-ca.crt: is missing'],
  ])('with the %s %j is refused by name, without its content', (file, text, message) => {
    expect(() => load({ [file]: text })).toThrow(`/tls/${message}`);
    expect(() => load({ [file]: text })).toThrow(
      expect.objectContaining({ code: 'HAPTIC_ERR_TLS_MATERIAL' }) as Error,
    );
    expect(() => load({ [file]: text })).not.toThrow(/SECRET/);
  });

  it('with the key of another certificate is refused', () => {
    expect(() => load({ 'tls.key': foreign['tls.key'] })).toThrow(
      '/tls/tls.key: does not belong to the certificate in tls.crt',
    );
  });

  it('that trusts a certificate that is no authority is refused', () => {
    expect(() => load({ 'ca.crt': good['tls.crt'] })).toThrow(
      'ca.crt: holds a certificate that is no authority',
    );
  });

  it('outside its time is refused', () => {
    expect(() => load({}, now + 366 * day)).toThrow(/tls\.crt: expired at 20/);
    expect(() => load({}, now - day)).toThrow(/tls\.crt: is not valid before 20/);
  });

  it('believes the former authority until its time, and not a moment longer', () => {
    const overlap = { 'previous-ca.crt': foreign['ca.crt'], 'previous-ca-until': hourAhead };
    const during = load(overlap);
    expect(during.trust).toHaveLength(2);
    expect(during.staleAt).toBe(now + 3_600_000);
    const after = load(overlap, now + 3_600_000);
    expect(after.trust).toHaveLength(1);
    expect(after.trustId).toBe(load().trustId);
  });

  it.each([
    ['tomorrow', 'is not a time as RFC 3339 writes it'],
    ['2030-02-30', 'is not a time'],
    ['', 'is not a time'],
    ['1800000000', 'is not a time'],
    [new Date(now + day + 1000).toISOString(), 'is more than 24 hours ahead'],
    ['2999-01-01T00:00:00+00:00', 'is more than 24 hours ahead'],
  ])('with the end %j of an overlap is refused', (until, message) => {
    const overlap = { 'previous-ca.crt': foreign['ca.crt'], 'previous-ca-until': until };
    expect(() => load(overlap)).toThrow(`/tls/previous-ca-until: ${message}`);
  });

  it('takes an end with a zone and fractions', () => {
    const until = new Date(now + 3_600_000).toISOString().replace('Z', '0+00:00');
    expect(load({ 'previous-ca.crt': foreign['ca.crt'], 'previous-ca-until': until }).trust).toHaveLength(2);
  });
});

describe('a folder that is followed', () => {
  const write = async (dir: string, files: Readonly<Record<string, string>>) => {
    await mkdir(dir, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(dir, name), text);
  };

  it('gives the same object while nothing changes', () => {
    const folder = followTlsFolder(made.serverDir);
    expect(folder.current()).toBe(folder.current());
  });

  it('gives what a rename of ..data put there, under every way to name the folder', async () => {
    const dir = path.join(made.dir, 'volume');
    await write(path.join(dir, '..one'), good);
    await symlink('..one', path.join(dir, '..data'));
    for (const name of tlsFiles) await symlink(`..data/${name}`, path.join(dir, name));
    const folders = [dir, path.join(dir, '..data')].map((name) => followTlsFolder(name));
    for (const folder of folders) expect(folder.current().cert).toBe(good['tls.crt']);
    await write(path.join(dir, '..two'), foreign);
    await symlink('..two', path.join(dir, '..next'));
    await rename(path.join(dir, '..next'), path.join(dir, '..data'));
    await rm(path.join(dir, '..one'), { recursive: true });
    for (const folder of folders) expect(folder.current().cert).toBe(foreign['tls.crt']);
  });

  it('gives what was written into its files', async () => {
    const dir = path.join(made.dir, 'plain');
    await write(dir, good);
    const folder = followTlsFolder(dir);
    expect(folder.current().cert).toBe(good['tls.crt']);
    await writeFile(path.join(dir, 'tls.crt'), foreign['tls.crt'] ?? '');
    expect(() => folder.current()).toThrow('does not belong to the certificate');
    await writeFile(path.join(dir, 'tls.key'), foreign['tls.key'] ?? '');
    expect(folder.current().cert).toBe(foreign['tls.crt']);
  });

  it('notices that time alone ends an overlap, and a certificate', async () => {
    const dir = path.join(made.dir, 'timed');
    const until = new Date(now + 60_000).toISOString();
    await write(dir, { ...good, 'previous-ca.crt': foreign['ca.crt'] ?? '', 'previous-ca-until': until });
    let time = now;
    const folder = followTlsFolder(dir, () => time);
    expect(folder.current().trust).toHaveLength(2);
    time += 60_000;
    expect(folder.current().trust).toHaveLength(1);
    time += 366 * day;
    expect(() => folder.current()).toThrow('expired at');
    time = now;
    expect(folder.current().trust).toHaveLength(2);
  });

  it('that is missing is named', () => {
    expect(() => followTlsFolder('/nowhere/tls').current()).toThrow(/^\/nowhere\/tls: ENOENT/);
  });
});
