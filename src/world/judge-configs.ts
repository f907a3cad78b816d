import { EMPTY, type Observable, distinctUntilChanged, filter, map, merge, of, switchMap, take } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { LatchState } from '../gate/latch.ts';
import type { QuarantineState } from '../gate/quarantine-state.ts';
import type { ConfigJudgement } from '../sinks/config-status.ts';
import type { Candidate, LoadReport, LoadStage } from './load-report.ts';

/** What judges the first configuration: nothing was there to try it beside. */
export interface FirstJudge {
  readonly latch$: Observable<LatchState>;
  readonly quarantine$: Observable<QuarantineState>;
}

const reasons: Readonly<Record<LoadStage, ConfigJudgement['reason']>> = {
  basic: 'ConfigInvalid',
  template: 'ConfigInvalid',
  jsonpath: 'ConfigInvalid',
  validationTests: 'ConfigInvalid',
  render: 'LoadGateFailed',
  check: 'HAProxyValidationFailed',
};

/**
 * What became of configurations as their status says it. The first one is judged by what HAProxy says of the pipeline's renders. A
 * configuration that is the one at work is what that was judged to be.
 */
export function judgeConfigs<World>(
  report$: Observable<LoadReport<World>>,
  objectOf: (candidate: Candidate) => KubeObject | undefined,
  generationOf: (world: World) => object,
  first: FirstJudge,
): Observable<ConfigJudgement> {
  /** Of the configuration at work, without its object. */
  let active: Omit<ConfigJudgement, 'object'> = validating;

  const judged = (report: LoadReport<World>): Observable<Omit<ConfigJudgement, 'object'>> => {
    switch (report.kind) {
      case 'passed':
        return EMPTY;
      case 'refused':
        return of(refusal(report.stage, report.errors, report.passing));
      case 'unchanged':
        return of(active);
      case 'accepted':
        return report.render === undefined
          ? merge(of(validating), firstWord(first, generationOf(report.world)))
          : of(valid);
    }
  };

  return report$.pipe(
    filter(({ kind }) => kind !== 'passed'),
    // A source, not work: what is known of the newest configuration counts.
    switchMap((report) => {
      const object = objectOf(report.candidate);
      return judged(report).pipe(
        map((judgement) => {
          if (report.kind === 'accepted') active = judgement;
          return object === undefined ? undefined : { ...judgement, object };
        }),
        filter((judgement) => judgement !== undefined),
      );
    }),
  );
}

const validating = {
  status: 'Unknown',
  reason: 'Validating',
  message: 'waiting for the first render and what HAProxy says of it',
  errors: [],
} as const;

const valid = {
  status: 'Valid',
  reason: 'ValidationSucceeded',
  message: 'the configuration is at work',
  errors: [],
} as const;

function refusal(
  stage: LoadStage,
  errors: readonly string[],
  passing: boolean,
): Omit<ConfigJudgement, 'object'> {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return {
    status: passing ? 'Unknown' : 'Invalid',
    reason: passing ? 'LoadGateFailed' : reasons[stage],
    message: `${stage}: ${errors[0] ?? 'refused'}${more}`,
    errors,
  };
}

/** Valid when HAProxy accepts a render of it; not, when nothing of it can be released. */
function firstWord({ latch$, quarantine$ }: FirstJudge, generation: object) {
  const accepted$ = latch$.pipe(
    filter(({ accepted }) => accepted?.provenance?.generation === generation),
    take(1),
    map(() => valid),
  );
  const stuck$ = quarantine$.pipe(
    filter((state) => state.generation === generation && state.accepted === undefined),
    map(({ stuck }) => stuck),
    filter((stuck) => stuck !== undefined),
    distinctUntilChanged(),
    map((stuck) => refusal('check', [stuck], false)),
  );
  return merge(accepted$, stuck$);
}
