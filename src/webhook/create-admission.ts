import { askSocket } from '../gate/ask-socket.ts';
import { createGate, defaultGateLimits } from '../gate/create-gate.ts';
import { createValidator, type Validator } from '../gate/create-validator.ts';
import type { WithCheckRoot } from '../gate/check-root.ts';
import type { RunProcess } from '../gate/run-process.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { World } from '../world/build-world.ts';
import { worldSlices } from '../world/world-slices.ts';
import { type AdmitObject, createAdmitObject } from './admit-object.ts';
import { createChangeCheck } from './check-change.ts';
import { createHarmless } from './harmless-plan.ts';
import type { NamespaceLabels } from './namespace-labels.ts';
import { createReducer } from './reduce-plan.ts';

export interface AdmissionDeps {
  readonly current: () => World | undefined;
  readonly accepted: () => Bundle | undefined;
  /** The HAProxy that checks. */
  readonly haproxy: string;
  /** Its whole environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly withRoot: WithCheckRoot;
  readonly run: RunProcess;
  readonly namespaceLabels: NamespaceLabels;
  /** PEM that HAProxy gets in place of every certificate. */
  readonly standIn: string;
}

/** Checks whose verdicts are remembered: dry runs and retries ask the same again. */
const remembered = 64;
const sliceMs = 8;
const readsMs = 2_000;

/** Admission of objects of watched kinds, with HAProxy's own check behind it. */
export function createAdmission(deps: AdmissionDeps): AdmitObject {
  const { haproxy, env, withRoot, run } = deps;
  const gate = createGate({
    haproxy,
    ...(env === undefined ? {} : { env }),
    withRoot,
    // Somebody waits.
    run: (command, args, options) => run(command, args, { ...options, isUrgent: true }),
    limits: { ...defaultGateLimits, remembered },
  });
  const validatorsOf = new WeakMap<TemplateConfig, readonly Validator[]>();
  const validators = (): readonly Validator[] => {
    const config = deps.current()?.config;
    if (config === undefined) return [];
    const held =
      validatorsOf.get(config) ?? config.validators.map((validator) => createValidator(validator, askSocket));
    validatorsOf.set(config, held);
    return held;
  };
  return createAdmitObject({
    current: deps.current,
    accepted: deps.accepted,
    namespaceLabels: deps.namespaceLabels,
    check: createChangeCheck({
      gate,
      reduce: createReducer(),
      harmless: createHarmless(deps.standIn),
      slices: worldSlices,
      validators,
    }),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    now: () => performance.now(),
    sliceMs,
    readsMs,
    date: () => new Date(),
  });
}
