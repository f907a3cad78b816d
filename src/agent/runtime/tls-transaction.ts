import { isVersionAtLeast } from '../../lib/is-version-at-least.ts';
import { limits } from '../../protocol/limits.ts';
import type { RuntimeCommand, TlsStore } from './command.ts';
import { pemBlocks, type PemBlock } from './pem-blocks.ts';

export type TlsTransaction =
  | {
      readonly ok: true;
      readonly commands: readonly RuntimeCommand[];
      /** Leaves no transaction open, and no empty store behind. */
      readonly undo: readonly RuntimeCommand[];
    }
  /** `too_large`: more than HAProxy's socket takes at once. */
  | { readonly ok: false; readonly problem: 'unusable' | 'too_large'; readonly reason: string };

/**
 * The commands that put a PEM file into one of HAProxy's TLS stores: open a transaction with its content, commit it. HAProxy
 * takes certificates and CRLs in one payload only, CA files in pieces from 3.0 on. An open transaction blocks its store until the next
 * reload, hence `undo`. Success texts name the path: 2.6 puts the content of a certificate it does not know into whichever transaction is open.
 */
export function tlsTransaction(
  store: TlsStore,
  path: string,
  content: Buffer,
  options: { readonly create: boolean; readonly line: string },
): TlsTransaction {
  const blocks = pemBlocks(content);
  if (typeof blocks === 'string') return { ok: false, problem: 'unusable', reason: blocks };
  const inPieces = store === 'ca-file' && isVersionAtLeast(options.line, '3.0');
  const pieces = inPieces ? split(blocks) : [blocks.flat()];
  const largest = Math.max(...pieces.map(bytesOf));
  if (largest > limits.payloadContentBytes)
    return {
      ok: false,
      problem: 'too_large',
      reason: `${String(largest)} bytes at once, where HAProxy's socket is given at most ${String(limits.payloadContentBytes)}`,
    };
  const commands: RuntimeCommand[] = pieces.map((payload, index) => ({
    text: `${index === 0 ? 'set' : 'add'} ssl ${store} ${path}`,
    payload,
    countsLater: true,
    success: [`${index === 0 ? 'created' : 'updated'} for ${noun[store]} ${path}!`],
  }));
  if (options.create) commands.unshift({ text: `new ssl ${store} ${path}`, success: [created(store, path)] });
  commands.push({ text: `commit ssl ${store} ${path}`, success: 'finished' });
  const undo = [`abort ssl ${store} ${path}`, ...(options.create ? [`del ssl ${store} ${path}`] : [])];
  return { ok: true, commands, undo: undo.map((text) => ({ text, success: 'silent' })) };
}

const noun: Readonly<Record<TlsStore, string>> = { cert: 'certificate', 'ca-file': 'CA', 'crl-file': 'CRL' };

function created(store: TlsStore, path: string): string {
  if (store === 'cert') return `New empty certificate store '${path}'!`;
  return `New ${store === 'ca-file' ? 'CA' : 'CRL'} file created '${path}'!`;
}

function split(blocks: readonly PemBlock[]): string[][] {
  const pieces: string[][] = [];
  let size = Infinity;
  for (const block of blocks) {
    const bytes = bytesOf(block);
    if (size + bytes > limits.payloadContentBytes) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)?.push(...block);
    size += bytes;
  }
  return pieces;
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
