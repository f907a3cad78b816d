import { LRUCache } from 'lru-cache';
import { catchError, concatMap, defer, forkJoin, map, of, tap, timeout, type Observable } from 'rxjs';
import { valuesOf } from '../lib/ordered-map.ts';
import { runSlices } from '../lib/run-slices.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { Plan } from '../protocol/plan.ts';
import { attributeFindings } from './attribute-findings.ts';
import type { WithCheckRoot } from './check-root.ts';
import { doubtOf } from './guard/doubt-of.ts';
import { withoutLoading } from './guard/without-loading.ts';
import { hideForeignLines } from './hide-foreign-lines.ts';
import { localPeer } from './local-peer.ts';
import { parseHaproxyOutput, type HaproxyMessage } from './parse-haproxy-output.ts';
import type { ProcessResult, RunProcess } from './run-process.ts';
import type { Validator } from './create-validator.ts';
import type { Verdict } from './verdict.ts';

export interface GateDeps {
  /** The HAProxy binary, by path or by name; its line should be the fleet's lowest. */
  readonly haproxy: string;
  /** The whole environment of the check: a configuration can read it. Default: the usual folders as PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly withRoot: WithCheckRoot;
  readonly run: RunProcess;
  /** Asked about what HAProxy accepts, all at once. Default: none. */
  readonly validators?: readonly Validator[];
  readonly limits: GateLimits;
}

export interface GateLimits {
  /** Milliseconds after which a check is given up. */
  readonly timeout: number;
  /** Contents whose verdicts are remembered. */
  readonly remembered: number;
  readonly maxOutputBytes: number;
  /** Findings of one verdict; all of HAProxy's words are in its output. */
  readonly findings: number;
}

export const defaultGateLimits: GateLimits = {
  timeout: 60_000,
  remembered: 16,
  maxOutputBytes: 1024 * 1024,
  findings: 500,
};

export interface Gate {
  /**
   * HAProxy's and the validators' verdict on a plan: one, then completion; never an error. A content judged before is answered at once and
   * synchronously. Unsubscribing ends the check and takes its files away. Verdicts that only say that a check could not
   * run are not remembered.
   */
  check(plan: Plan): Observable<Verdict>;
}

const usualPath = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/** What HAProxy said, before it is laid on a plan: owners may differ between two plans of one content. */
interface Judgement {
  readonly accepted: boolean;
  readonly messages: readonly HaproxyMessage[];
  readonly output: string;
}

/**
 * The check of renders by HAProxy itself: `haproxy -c -dr` on the plan's files in a private folder, as one of its peers, without what would load code or write
 * files; then by the validators. What is wrong only because of that is passed over. Until one is accepted, at first and after a refusal, renders wait for a
 * verdict: the check gets its share of the machine then, and gives way to everything else otherwise. A validator that cannot be asked is no consent: the check could not run then.
 */
export function createGate(deps: GateDeps): Gate {
  const { haproxy, withRoot, run, limits, env = usualPath, validators = [] } = deps;
  const remembered = new LRUCache<string, Judgement>({ max: limits.remembered });
  let isUrgent = true;

  const judge = (plan: Plan): Observable<Judgement> =>
    judgeByHaproxy(plan).pipe(
      map((judgement) => withoutDoubtful(plan, judgement)),
      concatMap((judgement) =>
        !judgement.accepted || validators.length === 0
          ? of(judgement)
          : forkJoin(validators.map((validator) => validator.check(plan))).pipe(
              map((said) => withSaid(judgement, said.flat())),
            ),
      ),
    );

  const judgeByHaproxy = (plan: Plan) => {
    const peer = localPeer(plan);
    const as = peer === undefined ? [] : ['-L', peer];
    return withRoot(plan, (root) =>
      run(haproxy, ['-c', '-dr', ...as, '--', configPath(plan)], {
        cwd: root,
        env,
        maxOutputBytes: limits.maxOutputBytes,
        isUrgent,
      }).pipe(
        map((result) => ({ ...result, output: hideForeignLines(result.output.replaceAll(`${root}/`, '')) })),
      ),
    ).pipe(timeout({ first: limits.timeout }), map(judgementOf));
  };

  return {
    check: (plan) =>
      defer(() => {
        const strange = [...valuesOf(plan.files)].map((file) => file.path).find((path) => !isInside(path));
        if (strange !== undefined) return of(refusedPath(plan, strange));
        const known = remembered.get(plan.id);
        if (known !== undefined) isUrgent = !known.accepted;
        if (known !== undefined) return of(verdictOf(plan, known, limits));
        return judge(plan).pipe(
          tap((judgement) => {
            remembered.set(plan.id, judgement);
            isUrgent = !judgement.accepted;
          }),
          map((judgement) => verdictOf(plan, judgement, limits)),
          catchError((error: unknown) =>
            of<Verdict>({ kind: 'unchecked', planId: plan.id, message: messageOf(error, limits) }),
          ),
        );
      }),
  };
}

const outOfMemory = /\bout of memory\b|cannot allocate memory|failed to allocate/i;

/** HAProxy exits with 1 on what it refuses, and says why; anything else is no verdict, nor is a want of memory. */
function judgementOf({ code, signal, output }: ProcessResult): Judgement {
  const messages = parseHaproxyOutput(output);
  if (code === 0) return { accepted: true, messages, output };
  const alerts = messages.filter(({ severity }) => severity === 'alert');
  if (code === 1 && alerts.length > 0 && !alerts.some(({ message }) => outOfMemory.test(message)))
    return { accepted: false, messages, output };
  const how = signal === undefined ? `exited with ${code ?? 'no code'}` : `was ended by ${signal}`;
  throw new Error(`haproxy -c ${how}${output === '' ? '' : `: ${output.trim().slice(0, 2000)}`}`);
}

/**
 * Scripts are not loaded by a check, nor are libraries, and files are not written: what misses them is no fault of the render. Whoever runs
 * it will say.
 */
function withoutDoubtful(plan: Plan, judgement: Judgement): Judgement {
  if (judgement.accepted) return judgement;
  const { edits } = runSlices(withoutLoading(plan.sections));
  if (edits.size === 0) return judgement;
  const isDoubtful = doubtOf(plan.sections, edits);
  const messages = judgement.messages.filter((said) => said.severity === 'warning' || !isDoubtful(said));
  return { ...judgement, accepted: messages.every(({ severity }) => severity === 'warning'), messages };
}

function withSaid({ messages, output }: Judgement, said: readonly HaproxyMessage[]): Judgement {
  const refusals = said.filter(({ severity }) => severity === 'alert');
  return {
    accepted: refusals.length === 0,
    messages: [...messages, ...said],
    output: refusals.length === 0 ? output : refusals.map(({ message }) => message).join('\n'),
  };
}

function verdictOf(plan: Plan, { accepted, messages, output }: Judgement, limits: GateLimits): Verdict {
  const about = (severity: HaproxyMessage['severity']) =>
    attributeFindings(
      plan,
      messages.filter((message) => message.severity === severity).slice(0, limits.findings),
    );
  return accepted
    ? { kind: 'accepted', planId: plan.id, warnings: about('warning') }
    : { kind: 'refused', planId: plan.id, findings: about('alert'), output };
}

/** No file of a check may be written outside of its folder; an agent refuses such a path too. */
function isInside(path: string): boolean {
  const parts = path.split('/');
  return !parts.some((part) => part === '' || part === '.' || part === '..') && !path.includes('\0');
}

function refusedPath(plan: Plan, path: string): Verdict {
  const message = `file path ${JSON.stringify(path)} is not a relative path in canonical form`;
  return {
    kind: 'refused',
    planId: plan.id,
    findings: [{ severity: 'alert', message, file: path }],
    output: message,
  };
}

function configPath(plan: Plan): string {
  for (const file of valuesOf(plan.files)) if (file.kind === 'config') return file.path;
  return 'haproxy.cfg';
}

function messageOf(error: unknown, limits: GateLimits): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `haproxy -c did not end within ${limits.timeout / 1000} s`;
  return `the check could not run: ${errorMessage(error)}`;
}
