import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { nearestName } from '../../lib/nearest-name.ts';
import type { Finding } from '../finding.ts';
import type { ChartFiles } from './chart-files.ts';
import { mergeValues } from './merge-values.ts';

const check = 'values';
const advice = 'correct it in the values; values.yaml of the chart tells what each key is';
/** More of them help nobody. */
const most = 50;

/** Values that were given against values.schema.json of the chart, laid over its defaults. Values are never shown. */
export function checkValues(
  { schema, defaults, name, version }: ChartFiles,
  given: Readonly<Record<string, unknown>>,
): readonly Finding[] {
  if (schema === undefined)
    return [{ check, status: 'skipped', message: `${name} ${version} has no values.schema.json` }];
  const options = { strict: false, allErrors: true, verbose: true, logger: false } as const;
  const ajv = String(schema['$schema']).includes('2020-12') ? new Ajv2020(options) : new Ajv(options);
  const validate = ajv.compile(schema);
  if (validate(mergeValues(defaults, given)))
    return [{ check, status: 'ok', message: `they are what ${name} ${version} takes` }];
  const messages = new Set((validate.errors ?? []).filter(isTelling).map(wordsOf));
  return [...messages].slice(0, most).map((message) => ({ check, status: 'failed', message, advice }));
}

/** What only says that something below it failed. */
function isTelling({ keyword }: ErrorObject): boolean {
  return (
    !['if', 'allOf', 'anyOf', 'oneOf', '$ref'].includes(keyword) || keyword === 'oneOf' || keyword === 'anyOf'
  );
}

function wordsOf({ instancePath, keyword, params, message = 'is wrong', parentSchema }: ErrorObject): string {
  const place = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
  if (keyword === 'additionalProperties') {
    const unknown = String((params as { readonly additionalProperty?: unknown }).additionalProperty);
    const known = Object.keys(
      (parentSchema as { readonly properties?: object } | undefined)?.properties ?? {},
    );
    const meant = nearestName(unknown, known);
    const name = place === '' ? unknown : `${place}.${unknown}`;
    return `${name} is no value of the chart${meant === undefined ? '' : `; is ${meant} meant?`}`;
  }
  const allowed =
    keyword === 'enum'
      ? `: ${(params as { readonly allowedValues: readonly unknown[] }).allowedValues.join(', ')}`
      : '';
  return `${place === '' ? 'the values' : place} ${message}${allowed}`;
}
