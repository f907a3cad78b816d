import { errorMessage } from '../../lib/error-message.ts';
import { isRecord } from '../../lib/is-record.ts';
import { askController } from '../ask-controller.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';

type Value = Readonly<Record<string, unknown>>;

/** What its debug pages tell. */
export interface ExaminedController {
  readonly findings: readonly Finding[];
  /** The newest value of each tap, by name; absent when it cannot be asked. */
  readonly taps?: Readonly<Record<string, unknown>>;
}

/** Does the controller answer, and does it say that something is wrong? */
export async function checkController({ url, signal }: DoctorDeps): Promise<ExaminedController> {
  const check = 'controller';
  let names: readonly string[];
  try {
    const answer: unknown = await (await askController(url, 'taps', signal())).json();
    const listed: unknown = isRecord(answer) ? answer['taps'] : undefined;
    names = Array.isArray(listed) ? listed.map(String) : [];
  } catch (error) {
    const advice =
      'kubectl port-forward deployment/haptic 8080, and HAPTIC_DEBUG=http://127.0.0.1:8080/debug';
    return { findings: [{ check, status: 'skipped', message: errorMessage(error), advice }] };
  }
  const taps: Record<string, unknown> = {};
  for (const name of names) taps[name] = await newest(url, name, signal);
  return { findings: [{ check, status: 'ok', message: `it answers at ${url}` }, ...judge(taps)], taps };
}

/** The current value of a tap, null where there is none yet. */
async function newest(url: string, name: string, signal: () => AbortSignal): Promise<unknown> {
  try {
    const answer = await askController(url, `taps/${encodeURIComponent(name)}?limit=1&for=1`, signal());
    const [line = ''] = (await answer.text()).split('\n');
    return line === '' ? null : (JSON.parse(line) as unknown);
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

function judge(taps: Readonly<Record<string, unknown>>): readonly Finding[] {
  const value = (name: string): Value => (isRecord(taps[name]) ? taps[name] : {});
  const list = (name: string, field: string): readonly unknown[] => {
    const found = value(name)[field];
    return Array.isArray(found) ? found : [];
  };
  const findings: Finding[] = [];
  const warn = (check: string, message: string, advice: string) =>
    void findings.push({ check, status: 'warning', message, advice });
  const count = (name: string, field: string): number => {
    const found = value(name)[field];
    return typeof found === 'number' ? found : 0;
  };
  const held = count('quarantine', 'count');
  if (held > 0)
    warn(
      'quarantine',
      `${held} objects are held back`,
      'haptic tap quarantine --limit 1 --select objects tells which and why',
    );
  const problems = count('renders', 'problemCount');
  if (problems > 0)
    warn(
      'problems',
      `${problems} objects or fields are not in effect or not as written`,
      'haptic tap renders --limit 1 --select problems',
    );
  if (value('latch')['pinned'] === true)
    findings.push({
      check: 'latch',
      status: 'failed',
      message: 'new renders are refused: pods are kept on an older one',
      advice: 'haptic tap verdicts --limit 1 --select findings has the words of HAProxy',
    });
  const failed = list('deployments', 'failed').length;
  if (failed > 0 || value('deployments')['overdue'] === true)
    warn(
      'deployments',
      `${failed} pods cannot be brought to the newest render`,
      'haptic tap deliveries tells the words of each attempt',
    );
  return findings;
}
