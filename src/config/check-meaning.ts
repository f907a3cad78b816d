import { factResources } from '../api/fact-resources.ts';
import type { TemplateConfig, WatchedResource } from '../api/template-config.ts';
import { watchFaults } from '../api/watch-faults.ts';
import { errorMessage } from '../lib/error-message.ts';
import { parseFieldPath } from '../lib/field-paths.ts';
import { parseFieldSelector } from '../lib/field-selector.ts';
import { jsonPath } from '../lib/json-path.ts';
import { parseLabelSelector } from '../lib/label-selector.ts';
import { linearRegex } from '../lib/linear-regex.ts';
import { parseIgnoredPath } from '../lib/parse-ignored-path.ts';
import type { SchemaError } from './schema-checks.ts';

/** Names in `watchedResources` that the controller gives itself. */
const reservedResources: readonly string[] = ['haproxy-pods'];

/** What no schema says: selectors, paths and patterns that do not parse, names that cannot be file names, names that are taken. */
export function checkMeaning(config: TemplateConfig): readonly SchemaError[] {
  return [
    ...paths(config.watchedResourcesIgnoreFields, ['watchedResourcesIgnoreFields'], parseIgnoredPath),
    ...Object.entries(config.watchedResources).flatMap(([name, resource]) =>
      resourceErrors(resource, ['watchedResources', name]),
    ),
    ...reservedResources
      .filter((name) => Object.hasOwn(config.watchedResources, name))
      .map((name) => ({
        path: ['watchedResources', name],
        message: 'is a name of the controller itself: take another',
      })),
    ...factResources
      .filter((name) => config.watchedResources[name]?.store === 'on-demand')
      .map((name) => ({
        path: ['watchedResources', name, 'store'],
        message: 'cannot be on-demand: routes and backends are made of whole objects; take full',
      })),
    ...fileErrors(config),
    ...Object.entries(config.k8sResources).flatMap(([name, { createOnlyFields }]) =>
      (createOnlyFields ?? []).flatMap((text, index) =>
        parsed(text, ['k8sResources', name, 'createOnlyFields', String(index)], parseFieldPath),
      ),
    ),
    ...postProcessingErrors(config),
  ];
}

function resourceErrors(resource: WatchedResource, path: readonly string[]): readonly SchemaError[] {
  const {
    indexBy,
    ignoreFields,
    labelSelector,
    namespaceSelector,
    fieldSelector,
    store,
    cacheSize,
    cacheTTL,
  } = resource;
  const onDemandOnly = { cacheSize, cacheTTL };
  return [
    ...paths(indexBy ?? [], [...path, 'indexBy']),
    ...paths(ignoreFields ?? [], [...path, 'ignoreFields'], parseIgnoredPath),
    ...parsed(labelSelector, [...path, 'labelSelector'], parseLabelSelector),
    ...parsed(namespaceSelector, [...path, 'namespaceSelector'], parseLabelSelector),
    ...parsed(fieldSelector, [...path, 'fieldSelector'], parseFieldSelector),
    ...watchFaults(resource).map((fault) => ({ ...fault, path: [...path, ...fault.path] })),
    ...(store === 'on-demand' ? [] : Object.entries(onDemandOnly))
      .filter(([, value]) => value !== undefined)
      .map(([field]) => ({ path: [...path, field], message: 'has a meaning with store on-demand only' })),
  ];
}

function paths(
  expressions: readonly string[],
  path: readonly string[],
  parse: (expression: string) => unknown = jsonPath,
): readonly SchemaError[] {
  return expressions.flatMap((expression, index) =>
    parsed(expression, [...path, String(index)], (text) => parse(text)),
  );
}

/** Parsers put the field before their message; here it is said already. */
function parsed(
  text: string | undefined,
  path: readonly string[],
  parse: (text: string, field: string) => unknown,
): readonly SchemaError[] {
  if (text === undefined) return [];
  try {
    parse(text, '');
    return [];
  } catch (error) {
    return [{ path, message: errorMessage(error).replace(/^: /, '') }];
  }
}

/** Fields whose entries are files, by the folder that they share. */
const folders = [['maps'], ['files'], ['sslCertificates', 'crtLists']] as const;

function fileErrors(config: TemplateConfig): readonly SchemaError[] {
  return folders.flatMap((fields) => {
    const names = fields.flatMap((field) =>
      Object.keys(config[field]).map((name): { field: string; name: string } => ({ field, name })),
    );
    const first = new Map<string, string>();
    return names.flatMap(({ field, name }) => {
      if (!/^(?!\.)[A-Za-z0-9_.-]{1,255}$/.test(name))
        return [
          {
            path: [field, name],
            message: 'is no name of a file: take letters, digits, "_", "-" and ".", the first no "."',
          },
        ];
      const other = first.get(name);
      if (other !== undefined)
        return [{ path: [field, name], message: `is the same file as ${other}.${name}` }];
      first.set(name, field);
      return [];
    });
  });
}

function postProcessingErrors(config: TemplateConfig): readonly SchemaError[] {
  const entries = (['maps', 'files', 'sslCertificates', 'crtLists', 'k8sResources'] as const).flatMap(
    (field) => Object.entries(config[field]).map(([name, entry]) => ({ path: [field, name], entry })),
  );
  return [{ path: ['haproxyConfig'], entry: config.haproxyConfig }, ...entries].flatMap(({ path, entry }) =>
    (entry.postProcessing ?? []).flatMap(({ params }, index) =>
      parsed(params['pattern'], [...path, 'postProcessing', String(index), 'params', 'pattern'], (text) =>
        linearRegex(text),
      ),
    ),
  );
}
