/** One block of a PEM file, without line feeds: `-----BEGIN …`, base64, `-----END …`. */
export type PemBlock = readonly string[];

/**
 * The blocks of a PEM file, in their order, as lines that a runtime command can carry: without blank lines, text between blocks and
 * carriage returns. 2.6 ends a payload at the first blank line, and what stands outside of blocks means nothing to HAProxy.
 * Text: why the file cannot be said. Linear in the size of the file.
 */
export function pemBlocks(content: Buffer): readonly PemBlock[] | string {
  const blocks: string[][] = [];
  let open: string[] | undefined;
  let label = '';
  for (const raw of content.toString('latin1').split('\n')) {
    const line = raw.trim();
    if (open === undefined) {
      const begin = beginOf(line);
      if (begin === undefined) continue;
      label = begin;
      open = [line];
    } else if (line === `-----END ${label}-----`) {
      blocks.push([...open, line]);
      open = undefined;
    } else if (base64.test(line)) open.push(line);
    else if (line !== '')
      return line.includes(':') ? 'a PEM block has headers: it is encrypted' : 'a PEM block is malformed';
  }
  if (open !== undefined) return 'a PEM block has no end';
  return blocks.length === 0 ? 'there is no PEM block in the file' : blocks;
}

const base64 = /^[A-Za-z0-9+/=]+$/;

function beginOf(line: string): string | undefined {
  const head = '-----BEGIN ';
  if (!line.startsWith(head) || !line.endsWith('-----')) return undefined;
  const label = line.slice(head.length, -5);
  return /^[A-Z0-9 ]+$/.test(label) ? label : undefined;
}
