import { configErrorText } from '../../config/config-error.ts';
import { runValidationTests } from '../../validation/run-validation-tests.ts';
import type { TestResult } from '../../validation/test-report.ts';
import type { Finding } from '../finding.ts';
import { lookAtTemplates } from '../look-at-templates.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import { resolveManifests } from './resolve-manifests.ts';

const check = 'configuration';
const longestTest = 30_000;
const advice =
  'a controller would refuse it and keep the last good one: correct it; haptic validate tells more';

/** Would a controller take the configuration: is it right, do its templates compile, do its validation tests pass? */
export async function checkConfiguration({
  manifests = [],
  libraries,
  haproxy,
  path,
  signal,
}: Pick<PreflightFacts, 'manifests' | 'libraries' | 'haproxy' | 'path' | 'signal'>): Promise<
  readonly Finding[]
> {
  const resolved = await resolveManifests(manifests, libraries);
  if (resolved === undefined)
    return [{ check, status: 'skipped', message: 'the chart has no HAProxyTemplateConfig' }];
  const failed = (messages: readonly string[]): readonly Finding[] =>
    messages.map((message) => ({ check, status: 'failed', message, advice }));
  if (!resolved.ok) return failed(resolved.errors.map(configErrorText));
  const { errors, faults, warnings } = lookAtTemplates(resolved.config, resolved.sources.sourceOfTemplate);
  if (errors.length > 0 || faults.length > 0) return failed([...errors, ...faults]);
  const findings = warnings.map((message): Finding => ({
    check,
    status: 'warning',
    message,
    advice: 'it works, and is hardly meant',
  }));
  const report = await runValidationTests({
    config: resolved.config,
    ...(haproxy && { haproxy }),
    ...(path !== undefined && { path }),
    timeoutMs: longestTest,
    signal: signal(),
  });
  const words = report.tests.filter(({ passed }) => !passed).map(wordsOf);
  const watched = Object.keys(resolved.config.watchedResources).length;
  const tests =
    report.totalTests === 0 ? 'it has no validation tests' : `${report.totalTests} validation tests pass`;
  if (words.length > 0) return [...findings, ...failed(words)];
  return [
    ...findings,
    { check, status: 'ok', message: `its templates compile, it watches ${watched} resources, and ${tests}` },
  ];
}

function wordsOf({ testName, renderError, assertions }: TestResult): string {
  const failed = assertions.filter(({ passed }) => !passed);
  const reasons = [
    ...(renderError === undefined ? [] : [renderError]),
    ...failed.map(({ description, error = 'failed' }) => `${description}: ${error}`),
  ];
  return `validation test ${testName}: ${reasons.join('; ')}`.replaceAll('\n', ' ');
}
