import { apiVersionsOf } from '../api/api-versions-of.ts';
import type { TemplateConfig, WatchedResource } from '../api/template-config.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { parseFieldSelector, type FieldSelector } from '../lib/field-selector.ts';
import { jsonPath } from '../lib/json-path.ts';
import { parseLabelSelector } from '../lib/label-selector.ts';
import { dropFields } from './drop-fields.ts';

/** What of the whole configuration bears on a watched resource. */
export interface WatchDefaults {
  readonly watchedResourcesIgnoreFields?: readonly string[];
  readonly dataplane?: Pick<TemplateConfig['dataplane'], 'driftPreventionInterval'>;
}

/** An entry of `watchedResources` with everything parsed and every default filled in. */
export interface WatchSpec {
  /** Of the entry. */
  readonly name: string;
  /** Most wanted first. */
  readonly apiVersions: readonly string[];
  /** Plural resource name. */
  readonly resources: string;
  /** In its one spelling; empty selects everything. */
  readonly labelSelector: string;
  readonly fields: FieldSelector;
  /** Sorted; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** In its one spelling; undefined: all. */
  readonly namespaceSelector: string | undefined;
  /** Sorted, without duplicates. */
  readonly ignoreFields: readonly string[];
  readonly debounceMs: number;
  readonly store: StoreSpec;
}

export type StoreSpec =
  | { readonly kind: 'full' }
  | {
      readonly kind: 'on-demand';
      /** Paths that references keep: those of `indexBy`. */
      readonly indexBy: readonly string[];
      readonly cacheSize: number;
      readonly cacheTtlMs: number;
    };

type Watched = Pick<WatchedResource, 'resources'> & Partial<WatchedResource>;

const apiVersionForm = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?v[a-z0-9]+$/;
const nameForm = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Each has a watch, which holds a connection. */
const maxNamespaces = 64;
const defaultIndex = ['metadata.namespace', 'metadata.name'];
const defaultDebounce = '100ms';
const defaultCacheSize = 256;
/** What was not asked for during two drift passes, with a margin, is hardly needed again. */
const ttlPerDriftInterval = 2.2;
const defaultDriftInterval = '60s';

/**
 * Reads an entry of `watchedResources`.
 *
 * @throws CodedError of the first fault, naming `watchedResources.<name>.<field>`: `HAPTIC_ERR_CONFIG_LABEL_SELECTOR`,
 * `…_FIELD_SELECTOR`, `…_DURATION`, `…_IGNORE_FIELD`, `…_INVALID`, `HAPTIC_ERR_TEMPLATE_JSONPATH`
 */
export function watchSpecOf(name: string, resource: Watched, defaults: WatchDefaults = {}): WatchSpec {
  const at = (field: string): string => `watchedResources.${name}.${field}`;
  const { namespaces, namespaceSelector } = resource;
  const apiVersions = apiVersionsOf(resource);
  if (apiVersions.length === 0) throw invalid(at('apiVersion'), 'is missing');
  for (const apiVersion of apiVersions)
    if (!apiVersionForm.test(apiVersion))
      throw invalid(
        at(resource.apiVersions === undefined ? 'apiVersion' : 'apiVersions'),
        `is not a group and version such as networking.k8s.io/v1: ${JSON.stringify(apiVersion)}`,
      );
  if (!nameForm.test(resource.resources))
    throw invalid(
      at('resources'),
      `is not the plural name of a kind in lower case, such as ingresses: ${JSON.stringify(resource.resources)}`,
    );
  for (const namespace of namespaces ?? [])
    if (!nameForm.test(namespace))
      throw invalid(at('namespaces'), `has what is no name of a namespace: ${JSON.stringify(namespace)}`);
  if ((namespaces?.length ?? 0) > maxNamespaces)
    throw invalid(
      at('namespaces'),
      `names ${namespaces?.length ?? 0} namespaces, each of which would have a watch; more than ${maxNamespaces} can be selected by namespaceSelector`,
    );
  if (namespaces !== undefined && namespaceSelector !== undefined)
    throw invalid(at('namespaceSelector'), 'cannot be set together with namespaces');
  const ignoreFields = sorted([
    ...(defaults.watchedResourcesIgnoreFields ?? []),
    ...(resource.ignoreFields ?? []),
  ]);
  dropFields(defaults.watchedResourcesIgnoreFields ?? [], 'watchedResourcesIgnoreFields');
  dropFields(resource.ignoreFields ?? [], at('ignoreFields'));
  const indexBy = resource.indexBy ?? defaultIndex;
  indexBy.forEach(jsonPath);
  return {
    name,
    apiVersions,
    resources: resource.resources,
    labelSelector: parseLabelSelector(resource.labelSelector ?? '', at('labelSelector')).text,
    fields: parseFieldSelector(resource.fieldSelector ?? '', at('fieldSelector')),
    namespaces: namespaces === undefined ? undefined : sorted(namespaces),
    namespaceSelector:
      namespaceSelector === undefined
        ? undefined
        : parseLabelSelector(namespaceSelector, at('namespaceSelector')).text,
    ignoreFields,
    debounceMs: parseDuration(resource.debounceInterval ?? defaultDebounce, at('debounceInterval')),
    store:
      resource.store === 'on-demand'
        ? {
            kind: 'on-demand',
            indexBy,
            cacheSize: resource.cacheSize ?? defaultCacheSize,
            cacheTtlMs:
              resource.cacheTTL === undefined
                ? ttlPerDriftInterval * driftInterval(defaults)
                : parseDuration(resource.cacheTTL, at('cacheTTL')),
          }
        : { kind: 'full' },
  };
}

/**
 * Equal for two entries exactly if one can take over the other's stream and store: what is watched, and in which form it is
 * stored. What only readers look at (`indexBy` of a full store, `optional`, `enableValidationWebhook`) is not part of it.
 */
export function watchKey(spec: WatchSpec): string {
  const { fields, ...rest } = spec;
  const entries = Object.entries({ ...rest, fields: fields.text });
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function driftInterval({ dataplane }: WatchDefaults): number {
  const text = dataplane?.driftPreventionInterval ?? defaultDriftInterval;
  const ms = parseDuration(text, 'dataplane.driftPreventionInterval');
  return ms > 0 ? ms : parseDuration(defaultDriftInterval, 'dataplane.driftPreventionInterval');
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

function invalid(field: string, what: string): CodedError {
  return new CodedError('HAPTIC_ERR_CONFIG_INVALID', `${field} ${what}`);
}
