import { isDeepStrictEqual } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { apiGroup } from '../api/api-group.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { kubeClient } from '../kube/kube-client.ts';
import { type KubeFailure, type KubeResult, describeFailure } from '../kube/kube-failure.ts';
import type { KubeTransport } from '../kube/kube-transport.ts';
import { isRecord } from '../lib/is-record.ts';
import type { ControllerIdentity } from '../world/controller-runtime.ts';
import type { ConfigVerdict, TryConfig } from '../world/try-config.ts';
import type { Admission } from './admission.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { AdmitObject } from './admit-object.ts';
import { otherBuild } from './other-build.ts';
import { untilAborted } from './until-aborted.ts';

export interface AdmitConfigurationDeps {
  readonly identity: ControllerIdentity;
  /** Of this program. */
  readonly version: string;
  readonly tryConfig: TryConfig;
  /** The configuration at work; undefined as long as there is none. */
  readonly atWork: () => Pick<TemplateConfig, 'libraryRefs'> | undefined;
  /** Reads what is there beside the object that is asked about. */
  readonly transport: KubeTransport;
}

/**
 * Says what would become of the configuration with a HAProxyTemplateConfig or HAProxyTemplateLibrary: the whole load gate, beside the
 * configuration at work, which stays.
 *
 * - objects that are none of this controller's, and deletions, are allowed; so are libraries that the configuration does not name, and
 *   changes of what is on its way out or that leave the spec as it is
 * - libraries and references to them may come in any order: what does not fit together yet is a warning
 * - where a stage cannot run, nothing is known
 * - what was refused before and has no error that it did not have is allowed, so that it can be repaired in steps
 * - what the chart of another version, or of another build of the same, brings along is allowed: an upgrade, or the way back, writes it
 *   while this program still answers
 */
export function createAdmitConfiguration({
  identity,
  version,
  tryConfig,
  atWork,
  transport,
}: AdmitConfigurationDeps): AdmitObject {
  const client = kubeClient(transport);
  const { namespace } = identity;
  const refOf = (resources: string) => ({ apiVersion: apiGroup.apiVersion, resources, namespace });

  const librariesNow = async (signal: AbortSignal): Promise<KubeResult<readonly KubeObject[]>> => {
    const found: KubeObject[] = [];
    for await (const page of client.list(refOf('haproxytemplatelibraries'), { signal })) {
      if (!page.ok) return page;
      found.push(...page.value.items);
    }
    return { ok: true, value: found };
  };

  return async (request, signal) => {
    const answer = await admit(request, signal);
    if (answer.kind !== 'denied' || request.object === undefined) return answer;
    const other = otherBuild(request.object, version, atWork()?.libraryRefs ?? []);
    if (other === undefined) return answer;
    return allowed(answer.causes.map(({ message }) => `${other} would not take it: ${message}`));
  };

  async function admit(request: AdmissionRequest, signal: AbortSignal): Promise<Admission> {
    const { object, operation } = request;
    if (operation === 'DELETE') return allowed(isOurs(request, identity) ? [stays] : []);
    if (object === undefined || request.namespace !== namespace) return allowed([]);
    if (!isLibrary(request) && !isOurs(request, identity)) return allowed([]);
    const { oldObject } = request;
    const isSame = oldObject !== undefined && hasSameSpec(object, oldObject);
    if (isSame || object.metadata.deletionTimestamp !== undefined) return allowed([]);
    const libraries = await librariesNow(signal);
    if (!libraries.ok) return unknown(libraries.failure);
    if (!isLibrary(request))
      return notWorse(
        await judge(object, libraries.value, signal),
        oldObject && (() => judge(oldObject, libraries.value, signal)),
      );
    const config = await client.get(refOf('haproxytemplateconfigs'), identity.name, { signal });
    if (!config.ok)
      return config.failure.kind === 'http' && config.failure.status === 404
        ? allowed([])
        : unknown(config.failure);
    if (!refersTo(config.value, object.metadata.name)) return allowed([]);
    const others = libraries.value.filter(({ metadata }) => metadata.name !== object.metadata.name);
    return notWorse(
      await judge(config.value, [...others, object], signal),
      oldObject && (() => judge(config.value, [...others, oldObject], signal)),
    );
  }

  async function judge(config: KubeObject, libraries: readonly KubeObject[], signal: AbortSignal) {
    const verdict = await firstValueFrom(untilAborted(tryConfig(config, libraries), signal));
    return verdict.kind === 'refused' ? refusal(verdict) : allowed([]);
  }
}

/** The former state is judged only where the new one is refused. */
async function notWorse(now: Admission, before?: () => Promise<Admission>): Promise<Admission> {
  if (now.kind !== 'denied') return now;
  const former = await before?.();
  const known = new Set(former?.kind === 'denied' ? former.causes.map(({ message }) => message) : []);
  return now.causes.every(({ message }) => known.has(message))
    ? allowed(now.causes.map(({ message }) => message))
    : now;
}

function unknown(failure: KubeFailure): Admission {
  return { kind: 'unknown', message: `the configuration could not be read: ${describeFailure(failure)}` };
}

const stays = 'the configuration stays at work as it is until there is one of this name again';
/** What is said of a reference alone begins with this. */
const reference = /: spec\.libraryRefs\[\d+\]\.(?:name|revision) /;

function refusal({
  errors,
  stage,
  passing,
}: Extract<ConfigVerdict, { readonly kind: 'refused' }>): Admission {
  if (passing) return { kind: 'unknown', message: errors.join('; ') };
  if (stage === 'basic' && errors.length > 0 && errors.every((error) => reference.test(error)))
    return allowed(errors.map((error) => `not taken until this is so: ${error}`));
  const causes = errors.map((message) => ({ field: '', message }));
  return { kind: 'denied', causes, warnings: [], scope: stage === 'check' ? 'full' : 'none' };
}

function allowed(warnings: readonly string[]): Admission {
  return { kind: 'allowed', warnings, scope: 'none' };
}

function hasSameSpec(a: KubeObject, b: KubeObject): boolean {
  try {
    return isDeepStrictEqual(a['spec'], b['spec']);
  } catch {
    // Nested without end: the load gate has words for that.
    return false;
  }
}

/** Libraries that are not named do not count, whatever is in them. */
function refersTo({ spec }: KubeObject, library: string): boolean {
  const refs = isRecord(spec) ? spec['libraryRefs'] : undefined;
  return Array.isArray(refs) && refs.some((ref: unknown) => isRecord(ref) && ref['name'] === library);
}

function isLibrary({ resource }: AdmissionRequest): boolean {
  return resource === 'haproxytemplatelibraries';
}

function isOurs(request: AdmissionRequest, { namespace, name }: ControllerIdentity): boolean {
  return !isLibrary(request) && request.namespace === namespace && request.name === name;
}
