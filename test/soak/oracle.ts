import { haproxyLines } from '../fixtures/haproxy-lines.ts';
import { editTopics, type EditTopic } from '../fixtures/oracle/edits.ts';
import { historyOf, shrinkHistory } from '../fixtures/oracle/histories.ts';
import { noFigures, runHistory, type History, type OracleFigures } from '../fixtures/oracle/run-history.ts';
import { createTlsPool } from '../fixtures/oracle/tls-pool.ts';
import { startUpstreams } from '../fixtures/oracle/upstreams.ts';
import { countFlag, seedFlag } from './lib/soak-flags.ts';
import type { SoakInput, SoakReport } from './lib/soak.ts';

/**
 * The differential oracle: random histories of sites through `diff`, the agent and HAProxy, where after every delivery the worker must
 * serve what a fresh process on the same files serves. A failure is given as small as it still fails.
 */
export const flags = {
  pairs: 'deliveries to compare, for each line (default 500)',
  line: 'one HAProxy line (default: each line found)',
  seed: 'of the first history; the next one has the next number (default: a random one)',
  steps: 'deliveries of one history, after the first (default 8)',
  topics: 'kinds of changes: server,backend,map,tls,rest (default: all)',
  paced: '1: all reloads but the first wait until the end of a history (default 0)',
  failures: 'failing histories after which a line is given up (default 1)',
  shrink: 'seconds to make a failing history smaller (default 120)',
};

interface Failure {
  readonly again: string;
  readonly reason: string;
  readonly history: History;
}

export async function run({ values, say }: SoakInput): Promise<SoakReport> {
  const pairs = countFlag(values, 'pairs', 500, 1);
  const steps = countFlag(values, 'steps', 8, 1);
  const mostFailures = countFlag(values, 'failures', 1, 1);
  const shrinkMs = 1000 * countFlag(values, 'shrink', 120);
  const topics = topicsFlag(values);
  const seed = seedFlag(values);
  const { found, missing } = haproxyLines();
  const lines = found.filter(({ line }) => values['line'] === undefined || values['line'] === line);
  const pool = await createTlsPool();
  const upstreams = await startUpstreams(pool);
  const report: Record<string, OracleFigures & { readonly histories: number }> = {};
  const failures: Failure[] = [];
  try {
    for (const line of lines) {
      const figures = { ...noFigures };
      const setting = { line, pool, upstreams: upstreams.endpoints, paced: values['paced'] === '1' };
      const reasonOf = (history: History) =>
        runHistory(setting, history).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
      let histories = 0;
      let failed = 0;
      while (figures.pairs < pairs && failed < mostFailures) {
        const number = seed + histories++;
        const history = historyOf(line.line, number, steps, topics);
        try {
          await runHistory(setting, history, figures);
        } catch (error) {
          failed++;
          const first = error instanceof Error ? error.message : String(error);
          say(`HAProxy ${line.line}, seed ${number}: ${first}`);
          const smallest = await shrinkHistory(history, reasonOf, shrinkMs);
          const again = `./dev soak oracle --line ${line.line} --seed ${number} --pairs 1 --steps ${steps} --topics ${topics.join(',')}${setting.paced ? ' --paced 1' : ''}`;
          failures.push({ again, reason: smallest.reason ?? first, history: smallest.history });
          say(`smallest: ${smallest.reason ?? first}\n${JSON.stringify(smallest.history)}`);
        }
        if (histories % 10 === 0) say(`HAProxy ${line.line}: ${JSON.stringify(figures)}`);
      }
      report[line.line] = { ...figures, histories };
    }
  } finally {
    await upstreams.close();
  }
  const ok = failures.length === 0 && lines.length > 0;
  return { ok, seed, lines: report, missing: missing.map(({ line }) => line), failures };
}

function topicsFlag(values: SoakInput['values']): readonly EditTopic[] {
  const asked = values['topics']?.split(',') ?? editTopics;
  const unknown = asked.filter((topic) => !editTopics.some((known) => known === topic));
  if (unknown.length > 0) throw new RangeError(`--topics has no ${unknown.join(', ')}`);
  return editTopics.filter((topic) => asked.includes(topic));
}
