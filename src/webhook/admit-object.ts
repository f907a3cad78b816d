import type { SourceCollection, SourceEdit } from '../collections/types.ts';
import { type Observable, firstValueFrom } from 'rxjs';
import type { TemplateConfig } from '../api/template-config.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { World } from '../world/build-world.ts';
import { secretHider } from '../world/secret-hider.ts';
import type { Admission, AdmissionCause } from './admission.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { ChangeToCheck, CheckedChange } from './check-change.ts';
import type { CheckScope } from './check-scope.ts';
import { findingWords } from './finding-words.ts';
import { isOurIngress } from './is-our-ingress.ts';
import { judgeProblems } from './judge-problems.ts';
import type { NamespaceLabels } from './namespace-labels.ts';
import { tryOut, type TryOutDeps } from './try-out.ts';
import { knownAnnotations, unknownAnnotations } from './unknown-annotations.ts';
import { untilAborted } from './until-aborted.ts';
import { watchedEdits } from './watched-edits.ts';

export interface AdmitObjectDeps extends TryOutDeps {
  /** The configuration at work; undefined as long as there is none. */
  readonly current: () => World | undefined;
  /** What HAProxy accepted last. */
  readonly accepted: () => Bundle | undefined;
  readonly check: (change: ChangeToCheck) => Observable<CheckedChange>;
  /** Labels of a Namespace; undefined where they cannot be read. */
  readonly namespaceLabels: NamespaceLabels;
  readonly date: () => Date;
}

export type AdmitObject = (request: AdmissionRequest, signal: AbortSignal) => Promise<Admission>;

/**
 * Says what an object of a watched kind would do: a render with it, then HAProxy's check of what changes. Nothing is changed by it.
 *
 * - what the stores or the render would not be changed by (foreign classes, other namespaces, labels that do not match) is allowed
 * - a deletion is never refused, nor a change of an object that is on its way out: it could hold up a whole namespace. What would break is
 *   a warning
 * - where no configuration is at work yet, or the check cannot run, nothing is known
 */
export function createAdmitObject(deps: AdmitObjectDeps): AdmitObject {
  const annotations = new WeakMap<TemplateConfig, ReadonlySet<string>>();
  const known = (config: TemplateConfig): ReadonlySet<string> => {
    const held = annotations.get(config) ?? knownAnnotations(config);
    annotations.set(config, held);
    return held;
  };

  /** Read only where an entry looks at them. */
  const labelsFor = async (
    { namespace, resource }: AdmissionRequest,
    { config }: World,
    signal: AbortSignal,
  ) =>
    namespace !== undefined &&
    Object.values(config.watchedResources).some(
      ({ resources, namespaceSelector }) => resources === resource && namespaceSelector !== undefined,
    )
      ? deps.namespaceLabels(namespace, signal)
      : undefined;

  return async (request, signal) => {
    const world = deps.current();
    const accepted = deps.accepted();
    if (world === undefined || accepted === undefined)
      return { kind: 'unknown', message: 'HAProxy has not accepted a first configuration yet' };
    const subject = subjectOf(request);
    const labels = await labelsFor(request, world, signal);
    const { isWatched, edits, problem } = watchedEdits(request, world, deps.date, labels);
    if (!isWatched) return unwatched(request);
    const mayDeny =
      request.operation !== 'DELETE' && request.object?.metadata.deletionTimestamp === undefined;
    if (problem !== undefined)
      return answer([{ field: problem.field, message: problem.message }], [], 'none', mayDeny);

    const warnings = isOurs(request, world)
      ? [...unknownAnnotations(request.object ?? emptyObject, known(world.config))]
      : [];
    const tried = await tryOut(
      world,
      [...edits, ...askedAbout(world.renderer.context, subject)],
      formatOwner(subject),
      deps,
      signal,
    );
    const judged = judgeProblems(tried, subject);
    warnings.push(...judged.warnings);
    if (judged.causes.length > 0 && mayDeny) return answer(judged.causes, warnings, 'none', true);

    const checked = await firstValueFrom(
      untilAborted(
        deps.check({
          accepted: accepted.plan,
          next: tried.preview.plan,
          present: tried.present,
        }),
        signal,
      ),
    );
    // The subject's own values are in no store yet, and what is said here gets into logs and events of others.
    const hide = secretHider(function* () {
      yield* world.secrets();
      if (request.resource === 'secrets')
        for (const secret of [request.object, request.oldObject]) if (secret !== undefined) yield secret;
    });
    if (checked.kind === 'unchecked')
      return { kind: 'unknown', message: hide([checked.message])[0] ?? 'the check could not run' };
    const causes = [
      ...judged.causes,
      ...(checked.kind === 'refused'
        ? hide(checked.findings.map(({ message }) => message)).map((message, at) => ({
            field: '',
            message: findingWords({ ...checked.findings[at], severity: 'alert', message }, subject),
          }))
        : []),
    ];
    if (checked.kind === 'accepted') {
      warnings.push(...checked.notJudged);
      if (checked.known.length > 0)
        warnings.push('the configuration was refused by HAProxy before this change, and still is');
    }
    return answer(causes, warnings, checked.scope, mayDeny);
  };
}

const emptyObject = { metadata: { name: '' } };

/** What `renderMode` and `admissionSubject` in templates say while this is tried out. */
function askedAbout(context: SourceCollection<unknown>, subject: Owner): readonly SourceEdit[] {
  return [
    { collection: context, key: 'renderMode', value: 'admission' },
    { collection: context, key: 'admissionSubject', value: subject },
  ];
}

function subjectOf({ kind, namespace = '', name }: AdmissionRequest): Owner {
  return { kind, namespace, name };
}

function isOurs({ kind, object }: AdmissionRequest, { stores }: World): boolean {
  if (object === undefined) return false;
  return kind !== 'Ingress' || isOurIngress(object, stores.get('ingressclasses'));
}

function unwatched({ group, version, resource }: AdmissionRequest): Admission {
  const type = `${resource}.${version}${group === '' ? '' : `.${group}`}`;
  return {
    kind: 'unwatched',
    message: `${type} is in no entry of watchedResources: take it out of the rules of the webhook's configuration`,
  };
}

/** What must not be refused is allowed, with what would break. */
function answer(
  causes: readonly AdmissionCause[],
  warnings: readonly string[],
  scope: CheckScope,
  mayDeny: boolean,
): Admission {
  if (causes.length === 0) return { kind: 'allowed', warnings, scope };
  if (mayDeny) return { kind: 'denied', causes, warnings, scope };
  const broken = causes.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  return { kind: 'allowed', warnings: [...broken, ...warnings], scope };
}
