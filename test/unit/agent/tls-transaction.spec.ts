import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchCommands } from '../../../src/agent/runtime/batch-commands.ts';
import { type PemBlock, pemBlocks } from '../../../src/agent/runtime/pem-blocks.ts';
import { tlsTransaction } from '../../../src/agent/runtime/tls-transaction.ts';
import { limits } from '../../../src/protocol/limits.ts';

const label = fc.constantFrom('CERTIFICATE', 'PRIVATE KEY', 'EC PRIVATE KEY', 'X509 CRL', 'DH PARAMETERS');
const block = (maxLines: number): fc.Arbitrary<PemBlock> =>
  fc
    .tuple(
      label,
      fc.array(fc.stringMatching(/^[A-Za-z0-9+/]{1,64}={0,2}$/), { minLength: 1, maxLength: maxLines }),
    )
    .map(([name, body]) => [`-----BEGIN ${name}-----`, ...body, `-----END ${name}-----`]);
/** Text that may stand between blocks. */
const noise = fc.array(fc.stringMatching(/^[ -,./-~]{0,30}$/), { maxLength: 3 });
const lineEnd = fc.constantFrom('\n', '\r\n', '\n\n', ' \n', '\n \n');

describe('a PEM file', () => {
  it('is its blocks in their order, whatever stands between and around their lines', () => {
    const printed = fc.array(fc.tuple(block(8), noise, lineEnd), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(printed, (parts) => {
        const text = parts.map(([lines, before, end]) => [...before, ...lines].join(end) + end).join('');
        expect(pemBlocks(Buffer.from(text))).toEqual(parts.map(([lines]) => lines));
      }),
    );
  });

  it('never yields a line that a payload could not carry', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constant('-----BEGIN X-----\nAA;<<\n-----END X-----\n')),
        (text) => {
          const blocks = pemBlocks(
            Buffer.from(`-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`),
          );
          if (typeof blocks === 'string') return;
          for (const line of blocks.flat())
            expect(line).toMatch(/^(-----(BEGIN|END) [A-Z0-9 ]+-----|[A-Za-z0-9+/=]+)$/);
        },
      ),
    );
  });

  it.each([
    ['without a block', 'certificate', 'there is no PEM block in the file'],
    ['that is empty', '', 'there is no PEM block in the file'],
    ['with a block that does not end', '-----BEGIN X-----\nAAAA\n', 'a PEM block has no end'],
    [
      'with a block that ends as another',
      '-----BEGIN X-----\nAAAA\n-----END Y-----\n',
      'a PEM block is malformed',
    ],
    [
      'with an encrypted key',
      '-----BEGIN X-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END X-----\n',
      'a PEM block has headers: it is encrypted',
    ],
    ['with what is no base64', '-----BEGIN X-----\nA A\n-----END X-----\n', 'a PEM block is malformed'],
  ])('%s cannot be said', (_what, text, reason) => {
    expect(pemBlocks(Buffer.from(text))).toBe(reason);
  });

  it('of megabytes without sense is read to its end', () => {
    const text = '-----BEGIN '.repeat(200_000) + '\n-----BEGIN X-----'.repeat(100_000);
    expect(typeof pemBlocks(Buffer.from(text))).toBe('string');
  });
});

describe('a TLS file as a transaction', () => {
  const one = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  const texts = (transaction: ReturnType<typeof tlsTransaction>) =>
    transaction.ok
      ? { run: transaction.commands.map(({ text }) => text), undo: transaction.undo.map(({ text }) => text) }
      : transaction.reason;

  it.each([
    ['cert', false, ['set ssl cert p', 'commit ssl cert p'], ['abort ssl cert p']],
    [
      'cert',
      true,
      ['new ssl cert p', 'set ssl cert p', 'commit ssl cert p'],
      ['abort ssl cert p', 'del ssl cert p'],
    ],
    ['ca-file', false, ['set ssl ca-file p', 'commit ssl ca-file p'], ['abort ssl ca-file p']],
    [
      'crl-file',
      true,
      ['new ssl crl-file p', 'set ssl crl-file p', 'commit ssl crl-file p'],
      ['abort ssl crl-file p', 'del ssl crl-file p'],
    ],
  ] as const)('%s, new: %s', (store, create, run, undo) => {
    expect(texts(tlsTransaction(store, 'p', Buffer.from(one), { create, line: '2.6' }))).toEqual({
      run,
      undo,
    });
  });

  it('of a CA file larger than a payload adds the rest in pieces, from 3.0 on', () => {
    const content = Buffer.from(`${one.replace('AAAA', 'A'.repeat(7000))}\n`.repeat(3));
    expect(texts(tlsTransaction('ca-file', 'p', content, { create: false, line: '3.0' }))).toEqual({
      run: ['set ssl ca-file p', 'add ssl ca-file p', 'add ssl ca-file p', 'commit ssl ca-file p'],
      undo: ['abort ssl ca-file p'],
    });
    expect(tlsTransaction('ca-file', 'p', content, { create: false, line: '2.6' })).toMatchObject({
      ok: false,
      problem: 'too_large',
    });
  });

  it('carries every block in order, in payloads and lines within the limits, or says that it is too large', () => {
    const content = fc.array(block(120), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        content,
        fc.constantFrom('cert', 'ca-file', 'crl-file'),
        fc.constantFrom('2.6', '3.4'),
        (blocks, store, line) => {
          const bytes = Buffer.from(`${blocks.flat().join('\n')}\n`);
          const transaction = tlsTransaction(store, 'certs/some.pem', bytes, { create: true, line });
          if (!transaction.ok) {
            expect(transaction.problem).toBe('too_large');
            expect(bytes.length).toBeGreaterThan(limits.payloadContentBytes);
            return;
          }
          expect(transaction.commands.flatMap(({ payload }) => payload ?? [])).toEqual(blocks.flat());
          for (const { text } of batchCommands(transaction.commands))
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.commandLineBytes);
        },
      ),
      { numRuns: 60 },
    );
  });
});
