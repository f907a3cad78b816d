import { ReplaySubject, distinctUntilChanged, filter, map, share } from 'rxjs';
import { emptyOrderedMap } from '../../lib/ordered-map.ts';
import { formatOwner } from '../../lib/owner.ts';
import { kubeClient } from '../../kube/kube-client.ts';
import { describeFailure, type KubeFailure } from '../../kube/kube-failure.ts';
import type { OwnIdentity } from '../../kube/own-object.ts';
import { type OwnObject, ownObjects } from '../../kube/own-objects.ts';
import { abortable } from '../../operators/abortable.ts';
import type { Bundle } from '../../protocol/bundle.ts';
import {
  type AcceptedResources,
  type ResourceEffects,
  type ResourceReport,
  k8sResources,
} from '../../sinks/k8s-resources.ts';
import { recordOwnResources } from '../../sinks/record-own-resources.ts';
import type { ControllerPart, ControllerRuntime } from '../../world/controller-runtime.ts';

const timing = { retry: { min: 1_000, max: 300_000 }, resync: 600_000 };
const configRef = { apiVersion: 'haproxy-haptic.org/v1alpha1', resources: 'haproxytemplateconfigs' };
const configKind = 'HAProxyTemplateConfig';

/**
 * Applies the objects of `k8sResources` of the render that HAProxy accepted last, and removes those that are declared no more. Only the
 * leader does; one that begins to lead takes stock first.
 */
export const ownResourcesPart: ControllerPart = (runtime) => {
  const { identity, pipeline, leadership$, taps, metrics, log, onFatal } = runtime;
  const accepted$ = pipeline.latch$.pipe(
    map(({ accepted }) => accepted),
    filter((bundle) => bundle !== undefined),
    distinctUntilChanged(declaresTheSame),
    map(acceptedResources),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );
  const report$ = k8sResources(accepted$, {
    effects: effectsOf(runtime),
    namespace: identity.namespace,
    leader$: leadership$.pipe(map(({ kind }) => kind === 'leading')),
    timing,
  }).pipe(taps.point<ResourceReport>('own-resources', (report) => report));
  return recordOwnResources(report$, metrics, log, onFatal);
};

const none: NonNullable<Bundle['resources']> = emptyOrderedMap();

/** Renders share what did not change: most declare the very same. */
function declaresTheSame(a: Bundle, b: Bundle): boolean {
  return (
    a.resources === b.resources &&
    a.problems === b.problems &&
    a.provenance?.quarantine === b.provenance?.quarantine
  );
}

function acceptedResources({ resources = none, provenance, problems }: Bundle): AcceptedResources {
  let failing: ReadonlySet<string> | undefined;
  return {
    resources,
    isHeldBack: (owner) => {
      failing ??= new Set(
        problems.filter(({ severity }) => severity === 'error').map((problem) => formatOwner(problem.owner)),
      );
      return failing.has(owner) || provenance?.quarantine.has(owner) === true;
    },
  };
}

function effectsOf({ identity, leaderTransport }: ControllerRuntime): ResourceEffects {
  let known: OwnIdentity = { namespace: identity.namespace, name: identity.name };
  const own = ownObjects(leaderTransport, () => known);
  const client = kubeClient(leaderTransport);

  /** The owner that makes the API collect what it owns when the configuration is deleted. */
  const findOwner = async (signal: AbortSignal): Promise<KubeFailure | undefined> => {
    if (!identity.isObject) return undefined;
    const { namespace, name } = identity;
    const found = await client.get({ ...configRef, namespace }, name, { signal });
    if (!found.ok) return found.failure;
    const { uid } = found.value.metadata;
    const { apiVersion } = configRef;
    if (uid !== undefined) known = { ...known, object: { apiVersion, kind: configKind, uid } };
    return undefined;
  };

  const stock = async (signal: AbortSignal) => {
    const objects: OwnObject[] = [];
    const troubled = (failure: KubeFailure) => ({
      kinds: [],
      objects,
      trouble: { reason: 'RequestFailed', message: describeFailure(failure) },
    });
    const failure = await findOwner(signal);
    if (failure !== undefined) return troubled(failure);
    const kinds = await own.kinds(signal);
    if (!kinds.ok) return troubled(kinds.failure);
    // A kind that may not be listed holds up no other.
    const unlisted: string[] = [];
    for (const kind of kinds.value) {
      const listed = await own.list(kind, signal);
      if (listed.ok) objects.push(...listed.value);
      else unlisted.push(`${kind.apiVersion} ${kind.kind}: ${describeFailure(listed.failure)}`);
    }
    if (unlisted.length === 0) return { kinds: kinds.value, objects };
    const message = `what is left of former processes is not known: ${unlisted.join('; ')}`;
    return { kinds: kinds.value, objects, unlisted: { reason: 'RequestFailed', message } };
  };

  return {
    apply: (declared, options) => abortable((signal) => own.apply(declared, options, signal)),
    remove: (object) => abortable((signal) => own.remove(object, signal)),
    inventory: () => abortable(stock),
    writeKinds: (kinds) =>
      abortable((signal) => own.writeKinds(kinds, signal)).pipe(
        map((result) =>
          result.ok ? undefined : { reason: 'RequestFailed', message: describeFailure(result.failure) },
        ),
      ),
  };
}
