import { availableParallelism, tmpdir } from 'node:os';
import { type Observable, Subscription, combineLatest, distinctUntilChanged, map, timer } from 'rxjs';
import { checkRootsIn } from '../gate/check-root.ts';
import { runProcess } from '../gate/run-process.ts';
import { followTlsFolder } from '../lib/tls/tls-folder.ts';
import type { TlsMaterial } from '../lib/tls/tls-material.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { ControllerPart, ControllerRuntime } from '../world/controller-runtime.ts';
import { createAdmitConfiguration } from './admit-configuration.ts';
import type { AdmitObject } from './admit-object.ts';
import { createAdmissionQueue } from './admission-queue.ts';
import { applyWithTicket } from './apply-with-ticket.ts';
import { buildWebhookServer } from './build-webhook-server.ts';
import { createAdmission } from './create-admission.ts';
import { isConfigurationRequest } from './is-configuration-request.ts';
import { isWatched } from './is-watched.ts';
import { maintainConfiguration } from './maintain-configuration.ts';
import { readNamespaceLabels } from './namespace-labels.ts';
import { selfIssuedIdentity } from './self-issued-identity.ts';
import { standInCertificate } from './stand-in-certificate.ts';
import { webhookConfigurationOf, type WebhookConfigurationOptions } from './webhook-configuration.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';
import type { WebhookIdentity } from './webhook-tls.ts';
import { webhookStore } from './webhook-store.ts';
import type { WebhookOptions } from './webhook-options.ts';

export interface WebhookPartDeps {
  /** The HAProxy that checks. */
  readonly haproxy: string;
  /** Of this program. */
  readonly version: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Requests that may wait for each that is worked on. */
const waitingEach = 64;
/** Each may take seconds: further ones would not be answered in time. */
const waitingConfigurations = 4;
const waitingLarge = 16;
const lookMs = 10_000;
const renewEveryMs = 600_000;
const applyAgainMs = 300_000;

/**
 * The admission webhook beside a controller's pipeline: it listens, issues or follows its certificate, and keeps its
 * ValidatingWebhookConfiguration. Ends with its subscription.
 */
export function webhookPart(options: WebhookOptions, deps: WebhookPartDeps): ControllerPart {
  return (runtime) => {
    const { log, registry, onFatal } = runtime;
    const running = new Subscription();
    const metrics = createWebhookMetrics(registry);
    let accepted: Bundle | undefined;
    let ticket: string | undefined;
    const { configuration } = options;
    running.add(
      runtime.pipeline.latch$.subscribe({ next: (state) => (accepted = state.accepted), error: onFatal }),
    );
    const { identity, material$ } = identityOf(options, runtime, running);
    const admitObject = standInCertificate(Date.now()).then((standIn) =>
      createAdmission({
        current: runtime.current,
        accepted: () => accepted,
        haproxy: deps.haproxy,
        ...(deps.env === undefined ? {} : { env: deps.env }),
        withRoot: checkRootsIn(tmpdir()),
        run: runProcess,
        namespaceLabels: readNamespaceLabels(runtime.transport),
        standIn,
      }),
    );
    const { tryConfig, identity: own, transport } = runtime;
    const admitConfiguration: AdmitObject | undefined =
      tryConfig &&
      createAdmitConfiguration({
        identity: own,
        version: deps.version,
        tryConfig,
        atWork: () => runtime.current()?.config,
        transport,
      });
    const concurrent = options.concurrent ?? Math.max(1, availableParallelism() >> 1);
    const server = buildWebhookServer({
      admit: async (request, signal) =>
        admitConfiguration !== undefined && isConfigurationRequest(request)
          ? admitConfiguration(request, signal)
          : (await admitObject)(request, signal),
      isKnown: (request) => {
        const world = runtime.current();
        return isConfigurationRequest(request) || (world !== undefined && isWatched(request, world.config));
      },
      // Where somebody else writes the ValidatingWebhookConfiguration, there is no ticket in it.
      mayConfigure: (shown) => configuration === undefined || (ticket !== undefined && shown === ticket),
      queue: createAdmissionQueue({ concurrent, waiting: concurrent * waitingEach }),
      configurationQueue: createAdmissionQueue({ concurrent: 1, waiting: waitingConfigurations }),
      largeQueue: createAdmissionQueue({ concurrent: 1, waiting: waitingLarge }),
      identity,
      metrics,
      log,
    });
    server.listen({ ...options.listen }).then(
      (address) => {
        log.info({ address }, 'webhook started');
        runtime.stages.mark('webhook');
      },
      (error: unknown) => onFatal(error),
    );
    runtime.endings.push(() => server.close());
    running.add(() => void server.close());
    if (configuration !== undefined)
      running.add(
        maintainConfiguration({
          wanted$: wantedOf(runtime, material$, {
            ...configuration,
            withConfigurationKinds: admitConfiguration !== undefined,
          }),
          apply: (object, signal) =>
            applyWithTicket(runtime.transport, object, (uid) => (ticket = uid), signal),
          again: applyAgainMs,
          log,
          onFatal,
        }),
      );
    return running;
  };
}

function wantedOf(
  { world$ }: ControllerRuntime,
  material$: Observable<TlsMaterial | undefined>,
  configuration: Omit<WebhookConfigurationOptions, 'authorities'>,
) {
  return combineLatest({ world: world$, material: material$ }).pipe(
    map(({ world, material }) =>
      material === undefined
        ? undefined
        : webhookConfigurationOf(world.config, {
            ...configuration,
            authorities: material.trust.map(String).join(''),
          }),
    ),
  );
}

function identityOf(
  options: WebhookOptions,
  { log, transport, onFatal }: ControllerRuntime,
  running: Subscription,
): { readonly identity: WebhookIdentity; readonly material$: Observable<TlsMaterial | undefined> } {
  const { certificate } = options;
  if (certificate.kind === 'folder') {
    const folder = followTlsFolder(certificate.dir);
    const look = (): TlsMaterial | undefined => {
      try {
        return folder.current();
      } catch (error) {
        // The server says so when somebody comes.
        if (error instanceof CodedError) return undefined;
        throw error;
      }
    };
    return {
      identity: folder,
      material$: timer(0, lookMs).pipe(
        map(look),
        distinctUntilChanged((a, b) => a?.id === b?.id),
      ),
    };
  }
  const issued = selfIssuedIdentity({
    store: webhookStore(transport, certificate),
    policy: certificate.policy,
    every: renewEveryMs,
    now: Date.now,
    log,
    onFatal,
  });
  running.add(issued.running);
  return { identity: issued, material$: issued.material$ };
}
