import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig, WatchedResource } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';
import { dropFields } from '../streams/drop-fields.ts';
import { normalizeObject } from '../streams/normalize-object.ts';
import { objectKey } from '../streams/object-key.ts';
import { watchSpecOf } from '../streams/watch-spec.ts';
import { kindOf } from './kind-of.ts';
import { watchFilter } from './watch-filter.ts';

/** Fixtures as the stores would hold them. */
export interface FixtureObjects {
  /** By name in `watchedResources`, then by the object's key; in the order given. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>;
  /** Of the fixture `haproxy-pods`, as templates see them. */
  readonly pods: readonly FixturePod[];
  /** One sentence for each object that its resource does not select. */
  readonly notes: readonly string[];
}

/** A HAProxy pod as `controller.haproxyPods` has it. */
export interface FixturePod {
  readonly namespace: string;
  readonly name: string;
  readonly address: string;
}

type FixtureResource = Pick<WatchedResource, 'apiVersion' | 'apiVersions' | 'resources'>;

/** Fixtures that need not be watched: the discovered HAProxy pods, and the namespaces that a `namespaceSelector` looks at. */
const podsFixture = 'haproxy-pods';
const namespacesFixture = 'namespaces';
const builtIn: Readonly<Record<string, FixtureResource>> = {
  [podsFixture]: { apiVersion: 'v1', resources: 'pods' },
  [namespacesFixture]: { apiVersion: 'v1', resources: 'namespaces' },
};

/**
 * Takes fixtures through what watched objects go through: `apiVersion` and `kind` are filled in where they are missing, metadata
 * is checked and stripped, what its resource does not select is left out, and so are the fields that it ignores.
 *
 * @throws CodedError `HAPTIC_ERR_VALIDATION_FIXTURE` with everything that is wrong, each with its field
 */
export function fixtureObjects(
  config: Pick<TemplateConfig, 'watchedResources' | 'watchedResourcesIgnoreFields'>,
  fixtures: Readonly<Record<string, readonly unknown[]>>,
): FixtureObjects {
  const { watchedResources } = config;
  const errors: string[] = [];
  const given = new Map<string, readonly PlacedObject[]>();
  for (const [name, values] of Object.entries(fixtures)) {
    const resource = watchedResources[name] ?? builtIn[name];
    if (resource === undefined) errors.push(unknownFixture(name, Object.keys(watchedResources)));
    else given.set(name, objectsOf(name, values, resource, errors));
  }
  if (errors.length > 0)
    throw new CodedError('HAPTIC_ERR_VALIDATION_FIXTURE', errors.join('\n'), { cause: errors });

  const notes: string[] = [];
  const objects = new Map<string, ReadonlyMap<string, KubeObject>>();
  const objectsIn = (name: string): readonly KubeObject[] =>
    (given.get(name) ?? []).map(({ object }) => object);
  for (const [name, resource] of Object.entries(watchedResources)) {
    const reasonAgainst = watchFilter(name, resource, objectsIn(namespacesFixture));
    const { ignoreFields } = watchSpecOf(name, resource, config);
    const stripped = dropFields(ignoreFields, `watchedResources.${name}.ignoreFields`);
    const kept = new Map<string, KubeObject>();
    for (const { key, object, field } of given.get(name) ?? []) {
      const reason = reasonAgainst(object);
      if (reason === undefined) kept.set(key, stripped(object));
      else notes.push(`${field}: ${key} is left out, since ${reason} does not select it`);
    }
    objects.set(name, kept);
  }
  const pods = objectsIn(podsFixture).flatMap(podOf);
  for (const { key, object, field } of given.get(podsFixture) ?? [])
    if (podOf(object).length === 0) notes.push(`${field}: ${key} is left out, since it has no status.podIP`);
  return { objects, pods, notes };
}

/** Pods without an address are not served yet. */
function podOf({ metadata, status }: KubeObject): readonly FixturePod[] {
  const address = isRecord(status) ? status['podIP'] : undefined;
  if (typeof address !== 'string' || address === '') return [];
  return [{ namespace: metadata.namespace ?? '', name: metadata.name, address }];
}

function unknownFixture(name: string, watched: readonly string[]): string {
  const names = [...watched].sort();
  return `fixtures.${name} is no watched resource; there is ${[...names, podsFixture].join(', ')}`;
}

interface PlacedObject {
  readonly key: string;
  readonly object: KubeObject;
  /** `fixtures.services[0]` */
  readonly field: string;
}

function objectsOf(
  name: string,
  values: readonly unknown[],
  resource: FixtureResource,
  errors: string[],
): readonly PlacedObject[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const field = `fixtures.${name}[${index}]`;
    const object = objectOf(value, resource, field, errors);
    if (object === undefined) return [];
    const key = objectKey(object);
    if (seen.has(key)) errors.push(`${field}: ${key} is there already`);
    seen.add(key);
    return { key, object, field };
  });
}

function objectOf(
  value: unknown,
  { apiVersion, apiVersions, resources }: FixtureResource,
  field: string,
  errors: string[],
): KubeObject | undefined {
  if (!isRecord(value)) {
    errors.push(`${field} is not an object`);
    return undefined;
  }
  const normalized = normalizeObject(
    { ...value },
    {
      apiVersion: apiVersion ?? apiVersions?.[0] ?? '',
      kind: kindOf(resources),
    },
  );
  if (normalized.ok) return normalized.object;
  errors.push(`${field}: ${normalized.problem.message.replace('; the object is ignored', '')}`);
  return undefined;
}
