export interface PemBlock {
  /** `CERTIFICATE`, `RSA PRIVATE KEY`. */
  readonly label: string;
  /** The block alone, without blank lines and blanks at the ends of lines, with a line feed at its end. */
  readonly pem: string;
}

/** The PEM blocks (RFC 7468) in a text, whatever stands around them; a block without its end is none. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let label: string | undefined;
  let lines: string[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    const [, edge, name = ''] = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----$/.exec(line) ?? [];
    if (edge === 'BEGIN') [label, lines] = [name, [line]];
    else if (label !== undefined && line !== '') {
      lines.push(line);
      if (edge === undefined) continue;
      if (name === label) blocks.push({ label, pem: `${lines.join('\n')}\n` });
      label = undefined;
    }
  }
  return blocks;
}
