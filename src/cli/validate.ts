import { parseDuration } from '../lib/duration.ts';
import { reportJunit } from '../validation/report/report-junit.ts';
import { reportTap } from '../validation/report/report-tap.ts';
import { reportText } from '../validation/report/report-text.ts';
import { runValidationTests } from '../validation/run-validation-tests.ts';
import type { Coverage, TestReport } from '../validation/test-report.ts';
import type { CliCall } from './cli-command.ts';
import { haproxyAtHand } from './haproxy-at-hand.ts';
import { librariesPath } from './libraries-path.ts';
import { lookAtTemplates } from './look-at-templates.ts';
import { readTestConfig } from './read-test-config.ts';
import { updateGolden } from './update-golden.ts';
import type { validateOptions } from './validate-command.ts';
import { wholeNumber } from './whole-number.ts';
import { toYaml } from '../lib/to-yaml.ts';

/** `haptic validate` */
export async function validate({
  values,
  env,
  signal,
  out,
  err,
}: CliCall<typeof validateOptions>): Promise<number> {
  const workers = wholeNumber(values.workers, '--workers', 1, 64);
  const leastCoverage = wholeNumber(values['min-coverage'], '--min-coverage', 0, 100);
  const timeoutMs = parseDuration(values.timeout, '--timeout');
  const isGolden = values['update-golden'];
  const { config, files, sourceOfTemplate } = await readTestConfig({
    libraries: values.libraries ?? librariesPath(import.meta.url),
    files: values.file,
    libraryTests: values['library-tests'] || values.file.length === 0,
  });
  const { errors, faults, warnings } = lookAtTemplates(config, sourceOfTemplate);
  for (const line of warnings) err(`warning: ${line}\n`);
  for (const line of errors) err(`haptic validate: ${line}\n`);
  if (errors.length > 0) return 1;
  const haproxy = await haproxyAtHand(values.haproxy);
  const report = await runValidationTests({
    config,
    ...(haproxy && { haproxy }),
    ...(env['PATH'] === undefined ? {} : { path: env['PATH'] }),
    ...(values.test.length === 0 ? {} : { only: values.test }),
    ...(workers === undefined ? {} : { workers }),
    timeoutMs,
    keepRendered: values['dump-rendered'],
    keepActual: isGolden,
    coverage: values.coverage || leastCoverage !== undefined,
    profile: values['profile-includes'],
    signal,
  });
  if (report.totalTests === 0) {
    for (const line of faults) err(`haptic validate: ${line}\n`);
    err('haptic validate: there are no validation tests; see validationTests in docs/validation-tests.md\n');
    return 1;
  }
  if (isGolden) {
    const updated = await updateGolden(report, files);
    for (const { file, test, assertion } of updated)
      err(`updated ${file}: ${test}, assertions[${assertion}]\n`);
    if (updated.length > 0) {
      err('run it again to see the results\n');
      return 0;
    }
  }
  out(printReport(values.output, report, values.verbose));
  const isCovered = leastCoverage === undefined || percentOf(report.coverage) >= leastCoverage;
  if (!isCovered)
    err(
      `haptic validate: tests ran ${percentOf(report.coverage)} % of templates and snippets, less than --min-coverage\n`,
    );
  return report.failedTests === 0 && isCovered ? 0 : 1;
}

function percentOf(coverage: Coverage | undefined): number {
  return coverage === undefined || coverage.total === 0
    ? 100
    : Math.floor((100 * coverage.covered) / coverage.total);
}

function printReport(format: string, report: TestReport, verbose: boolean): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'yaml':
      return toYaml(report);
    case 'junit':
      return reportJunit(report);
    case 'tap':
      return reportTap(report);
    default:
      return reportText(report, { verbose });
  }
}
