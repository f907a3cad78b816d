import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CertificatePolicy, defaultPolicy } from '../../../src/certificates/certificate-policy.ts';
import type { CertificateHolder, CertificateStore } from '../../../src/certificates/certificate-store.ts';
import { renewBeforeMs } from '../../../src/certificates/renew-before-ms.ts';
import { renewCertificates } from '../../../src/certificates/renew-certificates.ts';
import { chainProblem } from '../../../src/lib/tls/chain-problem.ts';
import { tlsMaterial } from '../../../src/lib/tls/tls-material.ts';

const hour = 3_600_000;
const day = 24 * hour;

interface MemoryStore extends CertificateStore {
  readonly content: Map<CertificateHolder, { files: Readonly<Record<string, string>>; revision: number }>;
  /** Called before each write; throws to end the run there. */
  beforeWrite: (holder: CertificateHolder) => void;
}

function memoryStore(): MemoryStore {
  const store: MemoryStore = {
    content: new Map(),
    beforeWrite: () => undefined,
    read: (holder) => {
      const held = store.content.get(holder);
      return Promise.resolve(held && { files: held.files, revision: String(held.revision) });
    },
    write: (holder, files, revision) => {
      store.beforeWrite(holder);
      const held = store.content.get(holder);
      if ((held === undefined ? undefined : String(held.revision)) !== revision)
        return Promise.resolve(false);
      store.content.set(holder, { files, revision: (held?.revision ?? 0) + 1 });
      return Promise.resolve(true);
    },
  };
  return store;
}

let store: MemoryStore;
let time: number;
beforeEach(() => {
  store = memoryStore();
  time = Date.parse('2030-01-01T00:00:00Z');
});

const renew = (options: { force?: boolean; policy?: Partial<CertificatePolicy> } = {}) =>
  renewCertificates({
    store,
    now: () => time,
    ...(options.force !== undefined && { force: options.force }),
    policy: { ...defaultPolicy, ...options.policy },
  });
const filesOf = (holder: CertificateHolder) => store.content.get(holder)?.files ?? {};
const material = (side: 'server' | 'client', files = filesOf(side)) => tlsMaterial(files, time, side);

/** Whether one side, as it was at some time, is believed by the other, as it was at another. */
function believes(peer: Readonly<Record<string, string>>, shown: Readonly<Record<string, string>>): boolean {
  const chain = (shown['tls.crt']?.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  );
  return chainProblem(chain, tlsMaterial(peer, time, 'peer').trust, time) === undefined;
}

describe('the first certificates', () => {
  it('are an authority and one identity for each side, told apart by name and purpose', async () => {
    expect((await renew()).map(({ holder, reason }) => [holder, reason])).toEqual([
      ['issuer', 'there was none'],
      ['server', 'there was none'],
      ['client', 'there was none'],
    ]);
    expect(Object.keys(filesOf('server')).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    expect(material('server').leaf.subjectAltName).toBe('DNS:haptic-agent-tls.haptic.svc');
    expect(material('client').leaf.subjectAltName).toBe('DNS:haptic-controller-tls.haptic.svc');
    expect(material('server').leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(material('client').leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(material('server').leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    for (const side of ['server', 'client'] as const) {
      expect(material(side).leaf.ca).toBe(false);
      expect(filesOf(side)['tls.key']).not.toBe(filesOf('issuer')['tls.key']);
      expect(Date.parse(material(side).leaf.validTo)).toBeLessThanOrEqual(time + 365 * day);
    }
    expect(believes(filesOf('client'), filesOf('server'))).toBe(true);
    expect(believes(filesOf('server'), filesOf('client'))).toBe(true);
  });

  it('are left alone until something is due', async () => {
    await renew();
    const before = new Map(store.content);
    for (const later of [0, hour, 100 * day, 334 * day]) {
      time = Date.parse('2030-01-01T00:00:00Z') + later;
      expect(await renew()).toEqual([]);
    }
    expect(store.content).toEqual(before);
  });
});

describe('renewal', () => {
  it('comes 30 days before the end, or at a third of a life shorter than 90 days', () => {
    expect(renewBeforeMs(365 * day)).toBe(30 * day);
    expect(renewBeforeMs(90 * day)).toBe(30 * day);
    expect(renewBeforeMs(60 * day)).toBe(20 * day);
    expect(renewBeforeMs(day)).toBe(8 * hour);
  });

  it('replaces authority and identities at once, and cleans up when the overlap is over', async () => {
    await renew();
    const old = filesOf('issuer');
    time += 336 * day;
    expect((await renew()).map(({ holder }) => holder)).toEqual(['issuer', 'server', 'client']);
    for (const side of ['server', 'client'] as const) {
      expect(material(side).trust).toHaveLength(2);
      expect(filesOf(side)['previous-ca.crt']).toBe(old['ca.crt']);
      expect(filesOf(side)['previous-ca-until']).toBe(new Date(time + hour).toISOString());
      expect(filesOf(side)['tls.crt']?.match(/BEGIN/g)).toHaveLength(2);
    }
    time += hour;
    expect((await renew()).map(({ holder, reason }) => [holder, reason])).toEqual([
      ['server', 'trust changed'],
      ['client', 'trust changed'],
      ['issuer', 'the overlap is over'],
    ]);
    for (const side of ['server', 'client'] as const) {
      expect(Object.keys(filesOf(side)).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
      expect(filesOf(side)['tls.crt']?.match(/BEGIN/g)).toHaveLength(1);
    }
    expect(Object.keys(filesOf('issuer')).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    expect(await renew()).toEqual([]);
  });

  it('leaves no moment in which an old and a new side do not believe each other', async () => {
    await renew();
    const old = { server: filesOf('server'), client: filesOf('client') };
    time += 336 * day;
    await renew();
    const fresh = { server: filesOf('server'), client: filesOf('client') };
    for (const wait of [0, hour / 2, hour - 1]) {
      time += wait;
      for (const [a, b] of [
        [old.server, fresh.client],
        [fresh.server, old.client],
        [fresh.server, fresh.client],
        [old.server, old.client],
      ] as const) {
        expect(believes(a, b)).toBe(true);
        expect(believes(b, a)).toBe(true);
      }
      time -= wait;
    }
    time += hour;
    expect(believes(fresh.server, old.client)).toBe(false);
    expect(believes(old.server, fresh.client)).toBe(true);
  });

  it('can be asked for, once per overlap', async () => {
    await renew();
    expect((await renew({ force: true })).map(({ reason }) => reason)).toContain('asked for');
    const before = new Map(store.content);
    await expect(renew({ force: true })).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CERTIFICATES_OVERLAP',
      message: expect.stringContaining(new Date(time + hour).toISOString()) as string,
    });
    expect(store.content).toEqual(before);
    time += hour + 1;
    await expect(renew({ force: true })).resolves.toHaveLength(3);
  });

  it('follows a change of names without a new authority', async () => {
    await renew();
    const authority = filesOf('issuer');
    expect(await renew({ policy: { serverName: 'other.example' } })).toMatchObject([
      { holder: 'server', reason: 'of another name' },
    ]);
    expect(material('server').leaf.subjectAltName).toBe('DNS:other.example');
    expect(filesOf('issuer')).toBe(authority);
  });

  it.each([
    ['server', 'tls.key', '', /not usable .*tls\.key/],
    ['client', 'tls.crt', 'nonsense', /not usable .*tls\.crt/],
    ['server', 'ca.crt', '', /not usable .*ca\.crt/],
    ['issuer', 'tls.key', 'x', /not usable .*tls\.key/],
  ] as const)('repairs what somebody broke: %s %s', async (holder, file, text, reason) => {
    await renew();
    store.content.set(holder, { files: { ...filesOf(holder), [file]: text }, revision: 9 });
    const done = await renew();
    expect(done.find((entry) => entry.holder === holder)?.reason).toMatch(reason);
    expect(believes(filesOf('client'), filesOf('server'))).toBe(true);
    expect(believes(filesOf('server'), filesOf('client'))).toBe(true);
    expect(JSON.stringify(done)).not.toContain('PRIVATE');
  });

  it('issues to a side what the other side’s place held by mistake', async () => {
    await renew();
    store.content.set('server', { files: filesOf('client'), revision: 9 });
    expect(await renew()).toMatchObject([{ holder: 'server', reason: 'of another name' }]);
    // Even under the same name: the purpose differs.
    const client = filesOf('client');
    await renew({ policy: { serverName: defaultPolicy.clientName, clientName: 'x.example' } });
    store.content.set('server', { files: client, revision: 99 });
    expect(
      await renew({ policy: { serverName: defaultPolicy.clientName, clientName: 'x.example' } }),
    ).toMatchObject([{ holder: 'server', reason: 'of another purpose' }]);
  });
});

describe('a run that is killed', () => {
  it.each([0, 1, 2])(
    'after %i writes of a rotation is finished by the next one, without a gap',
    async (writes) => {
      await renew();
      const old = { server: filesOf('server'), client: filesOf('client') };
      time += 336 * day;
      let left = writes;
      store.beforeWrite = () => {
        if (left-- === 0) throw new Error('killed');
      };
      await expect(renew()).rejects.toThrow('killed');
      store.beforeWrite = () => undefined;
      // The next run comes after the overlap that the first one began.
      time += hour - 60_000;
      const between = { server: filesOf('server'), client: filesOf('client') };
      await renew();
      for (const server of [old.server, between.server, filesOf('server')])
        for (const client of [between.client, filesOf('client')]) {
          expect(believes(server, client)).toBe(true);
          expect(believes(filesOf('client'), server)).toBe(true);
        }
      expect(filesOf('server')['ca.crt']).toBe(filesOf('issuer')['ca.crt']);
      expect(filesOf('client')['ca.crt']).toBe(filesOf('issuer')['ca.crt']);
      expect(await renew()).toEqual([]);
    },
  );
});

describe('runs at the same time', () => {
  it('end with one authority and identities that fit, whoever wins which write', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, begun) => {
        store = memoryStore();
        if (begun) {
          await renew();
          time += 336 * day;
        }
        const scheduled: CertificateStore = {
          read: scheduler.scheduleFunction(store.read),
          write: scheduler.scheduleFunction(store.write),
        };
        const runs = [1, 2, 3].map(() =>
          renewCertificates({ store: scheduled, now: () => time, policy: defaultPolicy }),
        );
        await scheduler.waitFor(Promise.all(runs));
        const written = (await Promise.all(runs)).flat().map(({ holder }) => holder);
        expect(written.filter((holder) => holder === 'issuer')).toHaveLength(1);
        for (const side of ['server', 'client'] as const)
          expect(filesOf(side)['ca.crt']).toBe(filesOf('issuer')['ca.crt']);
        expect(believes(filesOf('client'), filesOf('server'))).toBe(true);
        expect(await renew()).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('give up, changing nothing, when they lose every time', async () => {
    const write = () => Promise.resolve(false);
    await expect(
      renewCertificates({ store: { ...store, write }, now: () => time, policy: defaultPolicy }),
    ).rejects.toMatchObject({ code: 'HAPTIC_ERR_CERTIFICATES_BUSY' });
    expect(store.content.size).toBe(0);
  });
});
