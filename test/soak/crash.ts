import { type CrashFigures, noCrashFigures, runEpisode, victims } from '../fixtures/crash/crash-run.ts';
import { haproxyLines } from '../fixtures/haproxy-lines.ts';
import { createTlsPool } from '../fixtures/oracle/tls-pool.ts';
import { startUpstreams } from '../fixtures/oracle/upstreams.ts';
import { type Volume, whyNoVolumes } from '../fixtures/volumes.ts';
import { countFlag, seedFlag } from './lib/soak-flags.ts';
import type { SoakInput, SoakReport } from './lib/soak.ts';

/**
 * The crash sweep: agent, worker, master or all of a pod killed with SIGKILL in the middle of a delivery, at any single step of the
 * agent or at any instant. The pod must always come to rest on the last accepted or on the new site as a whole.
 */
export const flags = {
  runs: 'kills, over all lines (default 300)',
  line: 'one HAProxy line (default: each line found, by turns)',
  seed: 'of the first episode; the next one has the next number (default: a random one)',
  episode: 'kills of one pod (default 6)',
  victims: 'agent,worker,master,pod (default: all)',
  failures: 'failing episodes after which it ends (default 3)',
};

const volumes: readonly Volume[] = [
  { at: 'maps', kind: { memory: '16m' } },
  { at: 'ssl', kind: 'bind' },
];

export async function run({ values, say }: SoakInput): Promise<SoakReport> {
  const runs = countFlag(values, 'runs', 300, 1);
  const perEpisode = countFlag(values, 'episode', 6, 1);
  const mostFailures = countFlag(values, 'failures', 3, 1);
  const seed = seedFlag(values);
  const wanted = values['victims']?.split(',');
  const chosen = victims.filter((victim) => wanted?.includes(victim) ?? true);
  const lines = haproxyLines().found.filter(
    ({ line }) => values['line'] === undefined || values['line'] === line,
  );
  if (lines.length === 0 || chosen.length === 0) throw new RangeError('no such line or victim');
  const pool = await createTlsPool();
  const upstreams = await startUpstreams(pool);
  const withoutVolumes = whyNoVolumes();
  if (withoutVolumes !== undefined) say(`every base dir is one volume: ${withoutVolumes}`);
  const figures: CrashFigures = noCrashFigures();
  const failures: string[] = [];
  try {
    for (let episode = 0; figures.runs < runs && failures.length < mostFailures; episode++) {
      const line = lines[episode % lines.length];
      if (line === undefined) break;
      const setting = {
        line,
        pool,
        upstreams: upstreams.endpoints,
        // Reloads at once or paced, by turns.
        agentFlags: [
          ...['--reload-interval-min', (seed + episode) % 2 === 0 ? '0s' : '1500ms'],
          ...['--reload-timeout', '30s', '--drain-timeout', '500ms'],
        ],
        // Every other pair of episodes with mounts of their own below the base dir.
        ...(withoutVolumes === undefined && (seed + episode) % 4 >= 2 && { volumes }),
      };
      const number = seed + episode;
      try {
        await runEpisode(setting, { seed: number, runs: perEpisode, victims: chosen }, figures);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        failures.push(
          `${why.split('\n', 12).join('\n')}\nagain: ./dev soak crash --line ${line.line} --seed ${number} --runs ${perEpisode} --episode ${perEpisode}`,
        );
        say(why);
      }
      if (episode % 5 === 4) say(JSON.stringify({ ...figures, at: figures.at.size }));
    }
  } finally {
    await upstreams.close();
  }
  return {
    ok: failures.length === 0,
    seed,
    lines: lines.map(({ line }) => line),
    ...figures,
    at: Object.fromEntries([...figures.at].sort(([, a], [, b]) => b - a)),
    failures,
  };
}
