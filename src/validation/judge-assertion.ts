import type { Assertion, TemplateConfig } from '../api/template-config.ts';
import type { Verdict } from '../gate/verdict.ts';
import { jsonPathValues } from '../lib/json-path.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { Plan } from '../protocol/plan.ts';
import { assertionError, requiredField } from './assertion-error.ts';
import { textChecks } from './check-text.ts';
import { describeVerdict } from './describe-verdict.ts';
import { differenceOf } from './difference-of.ts';
import type { FixtureRender } from './render-fixtures.ts';
import { targetText, type TargetText } from './target-text.ts';
import { judgeTraffic } from './traffic/judge-traffic.ts';
import type { Traffic } from './traffic/with-traffic.ts';

/** What assertions of one test are judged by. */
export interface JudgedRender {
  readonly config: TemplateConfig;
  readonly render: FixtureRender;
  /** Root of `jsonpath`. */
  readonly context: () => Readonly<Record<string, unknown>>;
  /** The same once more, the objects in another order. */
  readonly again: () => Promise<FixtureRender>;
  /** Why HAProxy cannot be asked; undefined if it can. */
  readonly noHaproxy?: Unavailable;
  readonly check: (plan: Plan) => Promise<Verdict>;
  /** Started by the first assertion that needs it. */
  readonly traffic: (plan: Plan) => Promise<Traffic>;
}

/** `skip`: nothing is wrong, HAProxy is too old for what the test renders. */
export interface Unavailable {
  readonly kind: 'skip' | 'fail';
  readonly reason: string;
}

export interface Judgement {
  /** Undefined: it holds. */
  readonly error?: string;
  readonly skipped?: string;
  /** What it looked at. */
  readonly text?: string;
}

/**
 * Judges one assertion.
 *
 * @param field of the assertion, for errors: `assertions[0]`
 * @throws CodedError `HAPTIC_ERR_VALIDATION_ASSERTION` when it cannot be judged as it is written
 */
export async function judgeAssertion(
  assertion: Assertion,
  judged: JudgedRender,
  field: string,
): Promise<Judgement> {
  switch (assertion.type) {
    case 'contains':
    case 'not_contains':
    case 'equals':
    case 'match_count':
    case 'match_order':
      return judgeText(assertion, textChecks[assertion.type], judged, field);
    case 'jsonpath':
      return failure(judgePath(assertion, judged, field));
    case 'deterministic':
      return whole(judged, async () => judgeDeterminism(judged.render, await judged.again()));
    case 'haproxy_valid':
      return byHaproxy(judged, async (plan) => describeVerdict(await judged.check(plan)));
    case 'traffic':
      return byHaproxy(judged, (plan) => judgeRequest(assertion, plan, judged, field));
  }
}

const failure = (error: string | undefined): Judgement => (error === undefined ? {} : { error });

function judgeText(
  assertion: Assertion,
  check: (text: string, assertion: Assertion, field: string) => string | undefined,
  { render, config }: JudgedRender,
  field: string,
): Judgement {
  const target: TargetText = targetText(assertion.target, render, config.dataplane);
  if (!target.ok) return { error: target.error };
  return { ...failure(check(target.text, assertion, field)), text: target.text };
}

function judgePath(assertion: Assertion, { context }: JudgedRender, field: string): string | undefined {
  const expression = requiredField(assertion, 'jsonpath', field);
  const expected = requiredField(assertion, 'expected', field);
  const [found, ...more] = selected(expression, field)(context());
  if (found === undefined) return `${expression} selects nothing`;
  const text = typeof found === 'string' ? found : JSON.stringify(found);
  if (text === expected) return undefined;
  return `${expression} is ${JSON.stringify(text)}, not ${JSON.stringify(expected)}${more.length === 0 ? '' : ` (the first of ${more.length + 1})`}`;
}

function selected(expression: string, field: string): (root: unknown) => readonly unknown[] {
  try {
    return jsonPathValues(expression);
  } catch (error) {
    throw assertionError(`${field}.jsonpath: ${errorMessage(error)}`, error);
  }
}

/** Without a whole render there is nothing to look at. */
async function whole(
  { render }: JudgedRender,
  judge: (plan: Plan) => Promise<string | undefined>,
): Promise<Judgement> {
  const { bundle, error } = render;
  if (bundle === undefined) return { error: `the render failed: ${error ?? ''}` };
  return failure(await judge(bundle.plan));
}

async function byHaproxy(
  judged: JudgedRender,
  judge: (plan: Plan) => Promise<string | undefined>,
): Promise<Judgement> {
  const { noHaproxy } = judged;
  if (noHaproxy?.kind === 'skip') return { skipped: noHaproxy.reason };
  if (noHaproxy !== undefined) return { error: noHaproxy.reason };
  return whole(judged, judge);
}

function judgeDeterminism(first: FixtureRender, second: FixtureRender): string | undefined {
  if (second.error !== undefined) return `the second render failed: ${second.error}`;
  const paths = [...new Set([...first.files.keys(), ...second.files.keys()])].sort();
  const differences = paths.flatMap((path) => {
    const names = { from: `${path} (first)`, to: `${path} (second, objects in reverse order)` };
    return differenceOf(first.files.get(path) ?? '', second.files.get(path) ?? '', names) ?? [];
  });
  return differences[0];
}

async function judgeRequest(
  { request, expect }: Assertion,
  plan: Plan,
  { traffic }: JudgedRender,
  field: string,
): Promise<string | undefined> {
  if (request === undefined) throw assertionError(`${field}.request is missing: traffic needs it`);
  if (expect === undefined) throw assertionError(`${field}.expect is missing: traffic needs it`);
  const outcome = await (await traffic(plan)).ask(request, `${field}.request`);
  return judgeTraffic(outcome, expect, `${field}.expect`);
}
