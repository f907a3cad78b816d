import { tmpdir } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Observable } from 'rxjs';
import type { TemplateConfig } from '../../api/template-config.ts';
import { askSocket } from '../../gate/ask-socket.ts';
import { checkRootsIn } from '../../gate/check-root.ts';
import { type Gate, createGate, defaultGateLimits } from '../../gate/create-gate.ts';
import { createValidator } from '../../gate/create-validator.ts';
import { runProcess } from '../../gate/run-process.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { Plan } from '../../protocol/plan.ts';

export interface GatesOptions {
  readonly haproxy: string;
  /** Called once, with what has to be done at the end of the process, synchronously: the files of a check stay for the next one. Absent: they go. */
  readonly atEnd?: (clean: () => void) => void;
  /** The whole environment of a check. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Sets of validators whose verdicts are remembered: that of the configuration at work, and of those that want to follow. */
const remembered = 4;

/** Checks by HAProxy and by a configuration's validators. What one configuration had checked is not checked again for another with the same ones. */
export function gatesByValidators({
  haproxy,
  atEnd,
  env,
}: GatesOptions): (plan: Plan, config: Pick<TemplateConfig, 'validators'>) => Observable<Verdict> {
  const gates = new LRUCache<string, Gate>({ max: remembered });
  // With thousands of certificates, writing what stays the same takes longer than the check.
  const withRoot = checkRootsIn(tmpdir(), atEnd && { keep: atEnd });
  return (plan, { validators }) => {
    const key = JSON.stringify(validators);
    const gate =
      gates.get(key) ??
      createGate({
        haproxy,
        ...(env && { env }),
        withRoot,
        run: runProcess,
        validators: validators.map((validator) => createValidator(validator, askSocket)),
        limits: defaultGateLimits,
      });
    gates.set(key, gate);
    return gate.check(plan);
  };
}
