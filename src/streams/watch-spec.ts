import { apiVersionsOf } from '../api/api-versions-of.ts';
import type { TemplateConfig, WatchedResource } from '../api/template-config.ts';
import { watchFaults } from '../api/watch-faults.ts';
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
  const [fault] = watchFaults(resource);
  if (fault !== undefined)
    throw new CodedError('HAPTIC_ERR_CONFIG_INVALID', `${at(fieldIn(fault.path))} ${fault.message}`);
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
    apiVersions: apiVersionsOf(resource),
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

/** `namespaces[1]` */
function fieldIn([field = '', index]: readonly string[]): string {
  return index === undefined ? field : `${field}[${index}]`;
}
