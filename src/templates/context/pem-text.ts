/** What a PEM file of this kind must have in it, for HAProxy to load it. */
const needed: Readonly<Record<PemKind, readonly (readonly [RegExp, string])[]>> = {
  cert: [
    [/^(TRUSTED |X509 )?CERTIFICATE$/, 'a certificate'],
    [/^(RSA |EC |DSA )?PRIVATE KEY$/, 'a private key that is not encrypted'],
  ],
  ca: [[/^(TRUSTED |X509 )?CERTIFICATE$/, 'a certificate']],
  crl: [[/^X509 CRL$/, 'a revocation list']],
};

export type PemKind = 'cert' | 'ca' | 'crl';

/**
 * PEM blocks as a file: those of all values, one after the other, nothing between them, no empty lines (HAProxy 2.6 ends what it
 * is sent at one). Text around the blocks is left out. A RangeError says what is wrong and never quotes a value, which may be a key.
 */
export function pemText(kind: PemKind, values: readonly unknown[]): string {
  const { labels, text } = pemBlocks(values);
  for (const [label, what] of needed[kind])
    if (!labels.some((found) => label.test(found)))
      throw new RangeError(`${what} is missing in the PEM text`);
  return text;
}

/** The same, whatever blocks there are. */
export function pemBlocks(values: readonly unknown[]): { labels: readonly string[]; text: string } {
  const labels: string[] = [];
  const lines: string[] = [];
  for (const value of values) {
    if (typeof value !== 'string') throw new RangeError('a PEM text is needed');
    readBlocks(value, labels, lines);
  }
  return { labels, text: lines.length === 0 ? '' : `${lines.join('\n')}\n` };
}

function readBlocks(text: string, labels: string[], lines: string[]): void {
  let open: string | undefined;
  text.split('\n').forEach((raw, at) => {
    const line = raw.trim();
    if (line === '') return;
    const [, edge, label = ''] = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----$/.exec(line) ?? [];
    if (open === undefined) {
      if (edge === 'END')
        throw new RangeError(`line ${at + 1} of the PEM text ends a block that was not begun`);
      if (edge === undefined) return;
      open = label;
    } else if (edge !== undefined) {
      if (edge === 'BEGIN' || label !== open)
        throw new RangeError(`line ${at + 1} of the PEM text comes before its block has ended`);
      labels.push(open);
      open = undefined;
    } else if (!/^[A-Za-z0-9+/=]+$/.test(line))
      throw new RangeError(`line ${at + 1} of the PEM text is neither base64 nor the end of its block`);
    lines.push(line);
  });
  if (open !== undefined) throw new RangeError('the last block of the PEM text has no end');
}
