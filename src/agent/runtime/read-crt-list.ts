import { readAnswer, type ReadOutcome, type WorkerSocket } from './read-answer.ts';

/** One entry of a crt-list as the worker has it. */
export interface CrtListEntryState {
  readonly cert: string;
  /** As HAProxy counts lines; deleted ones leave gaps, so numbers say nothing about the file. */
  readonly line: number;
  readonly options: readonly string[];
  readonly sniFilters: readonly string[];
}

/** The entries of a crt-list in the worker's order. */
export async function readCrtList(
  at: WorkerSocket,
  path: string,
): Promise<ReadOutcome<readonly CrtListEntryState[]>> {
  const entries: CrtListEntryState[] = [];
  const outcome = await readAnswer(at, `show ssl crt-list -n ${path}`, (line) => {
    const entry = crtListEntryOf(line);
    if (entry !== undefined) entries.push(entry);
  });
  return outcome.kind === 'read' ? { kind: 'read', value: entries } : outcome;
}

/** `certs/a.pem:1 [alpn h2] a.example !b.a.example`, where HAProxy leaves a NUL behind `alpn` protocols. */
export function crtListEntryOf(line: string): CrtListEntryState | undefined {
  const [head = '', ...words] = line
    .replaceAll('\0', '')
    .split(' ')
    .filter((word) => word !== '');
  const colon = head.lastIndexOf(':');
  const number = Number(head.slice(colon + 1));
  if (colon < 1 || !Number.isInteger(number) || number < 1) return undefined;
  const end = words[0]?.startsWith('[') === true ? words.findIndex((word) => word.endsWith(']')) : -1;
  const options = words
    .slice(0, end + 1)
    .map((word, index) => word.slice(index === 0 ? 1 : 0, index === end ? -1 : undefined));
  return { cert: head.slice(0, colon), line: number, options, sniFilters: words.slice(end + 1) };
}
