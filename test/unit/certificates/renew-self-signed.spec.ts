import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '../../../src/certificates/certificate-policy.ts';
import type { CertificateStore, StoredCertificates } from '../../../src/certificates/certificate-store.ts';
import { renewSelfSigned } from '../../../src/certificates/renew-self-signed.ts';
import { parseCertificate } from '../../../src/projections/tls/parse-certificate.ts';
import { issueCertificate } from '../../fixtures/certificates.ts';
import { secret } from '../../fixtures/kube-objects.ts';

const day = 24 * 3_600_000;

/** A store in memory; `lose` writes of others come first. */
function memory(lose = 0) {
  let stored: StoredCertificates | undefined;
  let revision = 0;
  let losses = lose;
  const store: CertificateStore = {
    read: () => Promise.resolve(stored),
    write: (_holder, files, from) => {
      if (losses-- > 0) {
        stored = { files: {}, revision: String(++revision) };
        return Promise.resolve(false);
      }
      if (from !== stored?.revision) return Promise.resolve(false);
      stored = { files, revision: String(++revision) };
      return Promise.resolve(true);
    },
  };
  return {
    store,
    files: () => stored?.files ?? {},
    put: (files: Record<string, string>) => (stored = { files, revision: String(++revision) }),
  };
}

describe('the self-signed certificate of HAProxy', () => {
  const at = (held: ReturnType<typeof memory>, now: number, force = false) =>
    renewSelfSigned({ store: held.store, policy: defaultPolicy, now: () => now, force });

  it('is made once, can be served, and stays until its end is near', async () => {
    const held = memory();
    const now = Date.now();
    expect(await at(held, now)).toMatchObject([{ holder: 'fallback', reason: 'there was none' }]);
    const first = held.files();
    expect(parseCertificate(secret({ data: first })).kind).toBe('usable');
    expect(
      new X509Certificate(first['tls.crt'] ?? '').checkHost('no-certificate.haptic.invalid'),
    ).toBeDefined();
    expect(await at(held, now + 300 * day)).toEqual([]);
    expect(held.files()).toBe(first);
    expect(await at(held, now + 340 * day)).toMatchObject([{ reason: 'about to expire' }]);
    expect(await at(held, now + 340 * day, true)).toMatchObject([{ reason: 'asked for' }]);
  });

  it('takes the place of what cannot be served', async () => {
    const held = memory();
    const [a, b] = [await issueCertificate(), await issueCertificate()];
    held.put({ 'tls.crt': a.cert, 'tls.key': b.key });
    expect(await at(held, Date.now())).toMatchObject([{ reason: 'its key belongs to another' }]);
    held.put({ 'tls.crt': 'x', 'tls.key': 'y' });
    expect(await at(held, Date.now())).toMatchObject([{ reason: 'it was not usable' }]);
  });

  it('is what another writer made, who was faster', async () => {
    expect(await at(memory(2), Date.now())).toHaveLength(1);
    await expect(at(memory(100), Date.now())).rejects.toThrow('written by others');
  });
});
