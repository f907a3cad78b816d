import { readAnswer, type ReadOutcome, type WorkerSocket } from './read-answer.ts';

/** The keys of a map as the worker has it, in its order, duplicates as often as they are there. Streams: of values nothing is kept. */
export async function readMapKeys(at: WorkerSocket, path: string): Promise<ReadOutcome<readonly string[]>> {
  const keys: string[] = [];
  const outcome = await readAnswer(at, `show map ${path}`, (line) => {
    const key = mapKeyOf(line);
    if (key !== undefined) keys.push(key);
  });
  return outcome.kind === 'read' ? { kind: 'read', value: keys } : outcome;
}

/** `0x55d0c0de host.example backend`: the second word. */
export function mapKeyOf(line: string): string | undefined {
  const start = line.indexOf(' ') + 1;
  if (start === 0 || !line.startsWith('0x')) return undefined;
  const end = line.indexOf(' ', start);
  return line.slice(start, end < 0 ? undefined : end);
}
