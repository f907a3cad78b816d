import { catchError, map, of } from 'rxjs';
import type { ConfigLibrary } from '../../config/config-library.ts';
import { applyObject } from '../../kube/apply-object.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import type { KubeTransport } from '../../kube/kube-transport.ts';
import { createKindResolver } from '../../kube/resolve-kind.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { abortable } from '../../operators/abortable.ts';
import type { StatusWritten } from '../../sinks/write-config-status.ts';
import { runValidationTests } from '../../validation/run-validation-tests.ts';
import type { TestReport, TestResult } from '../../validation/test-report.ts';
import type { StageResult } from '../../world/load-report.ts';
import type { LiveConfig } from './controller-deps.ts';

export interface LiveConfigOptions {
  readonly namespace: string;
  readonly name: string;
  readonly shipped: readonly ConfigLibrary[];
  readonly transport: KubeTransport;
  /** Runs the `haproxy_valid` and `traffic` assertions of tests. */
  readonly haproxy: { readonly path: string; readonly version: string };
  /** PATH of that HAProxy. */
  readonly path?: string;
}

const fieldManager = 'haptic-status';

/** A HAProxyTemplateConfig with its effects: tests in threads, and its status by server-side apply. */
export function liveConfig(options: LiveConfigOptions): LiveConfig {
  const { namespace, name, shipped, transport, haproxy, path } = options;
  const resolveKind = createKindResolver(transport);
  return {
    namespace,
    name,
    shipped,
    test: ({ config }) =>
      Object.keys(config.validationTests).length === 0
        ? of({ ok: true, value: undefined })
        : abortable((signal) =>
            runValidationTests({
              config,
              haproxy,
              signal,
              // A thread takes some 60 MiB of the controller's memory for as long as the tests run.
              workers: 1,
              ...(path === undefined ? {} : { path }),
            }),
          ).pipe(
            map(testResult),
            catchError((error: unknown) => of(notRun(error))),
          ),
    applyStatus: (object, leaderTransport) =>
      abortable((signal) =>
        applyObject(leaderTransport, object, fieldManager, {
          subresource: 'status',
          force: true,
          signal,
          resolveKind,
        }),
      ).pipe(
        map((result): StatusWritten => {
          if (result.ok) return { kind: 'written' };
          const { failure: reason } = result;
          // Whoever leads now says the same, or knows better.
          if (reason.kind === 'not_leader') return { kind: 'gone' };
          if (reason.kind === 'http' && reason.status === 404) return { kind: 'gone' };
          return { kind: 'failed', message: describeFailure(reason) };
        }),
        catchError((error: unknown) => of<StatusWritten>({ kind: 'failed', message: errorMessage(error) })),
      ),
  };
}

function testResult({ tests }: TestReport): StageResult<undefined> {
  const errors = tests.filter(({ passed }) => !passed).flatMap(testErrors);
  return errors.length === 0 ? { ok: true, value: undefined } : { ok: false, errors };
}

function testErrors({ testName, renderError, assertions }: TestResult): readonly string[] {
  const failed = assertions.filter(({ passed }) => !passed);
  const said = failed.map(({ type, description, error }) =>
    [`${type} failed`, description, error].filter((word) => word !== undefined && word !== '').join(': '),
  );
  return [...(renderError === undefined ? [] : [renderError]), ...said].map(
    (words) => `spec.validationTests.${testName}: ${words}`,
  );
}

/**
 * What is wrong with a test is a result of it. What is thrown is trouble of the machine (no place for files, no thread), which says nothing
 * about the configuration; unless it is an error that is expected.
 */
function notRun(error: unknown): StageResult<undefined> {
  const message = `the tests cannot run: ${errorMessage(error)}`;
  return { ok: false, errors: [message], passing: !(error instanceof CodedError) };
}
