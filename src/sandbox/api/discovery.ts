import type { Registry } from './registry.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const partVerbs = ['get', 'patch', 'update'];

/** The newer a group's version and the better known the group, the earlier clients are told of it. */
const versionOrder = (version: string): number => {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return Infinity;
  const stage = match[2] === 'alpha' ? 2 : match[2] === 'beta' ? 1 : 0;
  return stage * 1e6 - Number(match[1]) * 1000 - Number(match[3] ?? 0);
};

interface GroupVersions {
  readonly group: string;
  readonly versions: readonly { readonly version: string; readonly types: readonly ResourceType[] }[];
}

/** Groups with their versions, best version first; the core group (named `''`) comes first. */
export function groupsOf(registry: Registry): readonly GroupVersions[] {
  const groups = new Map<string, Map<string, ResourceType[]>>();
  for (const type of registry.all()) {
    let versions = groups.get(type.group);
    if (versions === undefined) groups.set(type.group, (versions = new Map<string, ResourceType[]>()));
    const types = versions.get(type.version);
    if (types === undefined) versions.set(type.version, [type]);
    else types.push(type);
  }
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .map(([version, types]) => ({ version, types }))
      .sort((a, b) => versionOrder(a.version) - versionOrder(b.version)),
  }));
}

/** Answers a discovery URL; `undefined` when it is none or the group is unknown. `aggregated`: the v2 form is wanted. */
export function discover(registry: Registry, pathname: string, aggregated: boolean): unknown {
  const [root, group, version] = pathname.split('/').filter((part) => part !== '');
  const groups = groupsOf(registry);
  if (root === 'api' && group === undefined)
    return aggregated ? aggregate(groups.filter((one) => one.group === '')) : coreVersions;
  if (root === 'apis' && group === undefined) {
    const named = groups.filter((one) => one.group !== '');
    return aggregated
      ? aggregate(named)
      : { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupInfo) };
  }
  const found = groups.find((one) => one.group === (root === 'api' ? '' : group));
  if (found === undefined) return undefined;
  const wanted = root === 'api' ? group : version;
  if (wanted === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupInfo(found) };
  const types = found.versions.find((one) => one.version === wanted)?.types;
  return types === undefined ? undefined : resourceList(types);
}

const coreVersions = { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };

function groupInfo({ group, versions }: GroupVersions): Readonly<Record<string, unknown>> {
  const list = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions: list, preferredVersion: list[0] };
}

function resourceList(types: readonly ResourceType[]): unknown {
  const [first] = types;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: first === undefined ? '' : apiVersionOf(first),
    resources: types.flatMap((type) => [
      {
        name: type.plural,
        singularName: type.singular,
        namespaced: type.namespaced,
        kind: type.kind,
        verbs: verbsOf(type),
        ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
        ...(type.categories.length > 0 ? { categories: type.categories } : {}),
      },
      ...partsOf(type).map((part) => ({
        name: `${type.plural}/${part.name}`,
        singularName: '',
        namespaced: type.namespaced,
        kind: part.kind,
        verbs: part.verbs,
        ...(part.name === 'scale' ? { group: 'autoscaling', version: 'v1' } : {}),
      })),
    ]),
  };
}

function aggregate(groups: readonly GroupVersions[]): unknown {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: versions.map(({ version, types }) => ({
        version,
        freshness: 'Current',
        resources: types.map((type) => ({
          resource: type.plural,
          responseKind: { group: type.group, version: type.version, kind: type.kind },
          scope: type.namespaced ? 'Namespaced' : 'Cluster',
          singularResource: type.singular,
          verbs: verbsOf(type),
          ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
          ...(type.categories.length > 0 ? { categories: type.categories } : {}),
          subresources: partsOf(type).map((part) => ({
            subresource: part.name,
            responseKind:
              part.name === 'scale'
                ? { group: 'autoscaling', version: 'v1', kind: 'Scale' }
                : { group: type.group, version: type.version, kind: part.kind },
            verbs: part.verbs,
          })),
        })),
      })),
    })),
  };
}

function verbsOf(type: ResourceType): readonly string[] {
  return type.answer === undefined ? verbs : ['create'];
}

function partsOf(type: ResourceType): readonly { name: string; kind: string; verbs: readonly string[] }[] {
  return [
    ...(type.plural === 'namespaces' && type.group === ''
      ? [{ name: 'finalize', kind: type.kind, verbs: ['update'] }]
      : []),
    ...(type.scale === undefined ? [] : [{ name: 'scale', kind: 'Scale', verbs: partVerbs }]),
    ...(type.status ? [{ name: 'status', kind: type.kind, verbs: partVerbs }] : []),
  ];
}
