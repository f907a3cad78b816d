import { customResourceDefinition } from '../api/crd/custom-resource-definition.ts';
import { customResources } from '../api/crd/custom-resources.ts';
import { type AppliedCrd, applyCrds } from '../kube/apply-crds.ts';
import { describeFailure } from '../kube/kube-failure.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import type { applyCrdsOptions } from './apply-crds-command.ts';
import type { CliCall } from './cli-command.ts';
import { openKube } from './kube-access.ts';
import { printed } from './printed.ts';
import { toYaml } from '../lib/to-yaml.ts';

/** `haptic apply-crds` */
export async function runApplyCrds({
  values,
  signal,
  out,
}: CliCall<typeof applyCrdsOptions>): Promise<number> {
  const timeoutMs = parseDuration(values.timeout, '--timeout');
  if (values.print) {
    const documents = customResources.map((resource) => toYaml(customResourceDefinition(resource)));
    out(documents.join('---\n'));
    return 0;
  }
  await using resources = new AsyncDisposableStack();
  const dryRun = values['dry-run'];
  const done = await applyCrds(openKube(values, resources), {
    signal,
    timeoutMs,
    dryRun,
    force: values.force,
  });
  if (!done.ok)
    throw new CodedError(
      'HAPTIC_ERR_CLI_KUBE',
      `the CRDs cannot be applied: ${describeFailure(done.failure)}`,
    );
  out(printed(values.output, done.value, () => done.value.map((crd) => lineOf(crd, dryRun)).join('')));
  return 0;
}

function lineOf({ name, outcome }: AppliedCrd, dryRun: boolean): string {
  const what = outcome === 'newer' ? 'of a later version, left as it is' : outcome;
  return `${name} ${what}${dryRun ? ' (dry run)' : ''}\n`;
}
