import type { TemplateConfig, ValidationTest } from '../api/template-config.ts';
import { isRecord } from '../lib/is-record.ts';

/** Name of the test whose fixtures and HTTP resources are part of all others. */
export const globalTest = '_global';

type Fixtures = NonNullable<ValidationTest['fixtures']>;

/**
 * A test with what `_global` lends it: fixtures, where the test has none of the same resource, apiVersion, kind, namespace and name,
 * and HTTP resources, where it has none of the same URL. Assertions of `_global` are a test of their own.
 */
export function mergeGlobal(
  tests: TemplateConfig['validationTests'],
  name: string,
): ValidationTest | undefined {
  const test = tests[name];
  const global = tests[globalTest];
  if (test === undefined || global === undefined || name === globalTest) return test;
  const own = new Set((test.httpResources ?? []).map(({ url }) => url));
  return {
    ...test,
    fixtures: mergeFixtures(global.fixtures ?? {}, test.fixtures ?? {}),
    httpResources: [
      ...(global.httpResources ?? []).filter(({ url }) => !own.has(url)),
      ...(test.httpResources ?? []),
    ],
  };
}

function mergeFixtures(lent: Fixtures, own: Fixtures): Fixtures {
  const merged = new Map(Object.entries(lent));
  for (const [resource, objects] of Object.entries(own)) {
    const identities = new Set(objects.map(identityOf));
    const kept = (merged.get(resource) ?? []).filter((object) => !identities.has(identityOf(object)));
    merged.set(resource, [...kept, ...objects]);
  }
  return Object.fromEntries(merged);
}

/** What is left out is filled in with the same for both, so that it counts as the same here. */
function identityOf(object: Fixtures[string][number]): string {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  return JSON.stringify([
    metadata['namespace'] ?? '',
    metadata['name'] ?? '',
    object['kind'] ?? '',
    object['apiVersion'] ?? '',
  ]);
}
