import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { errorMessage } from '../../lib/error-message.ts';
import { isRecord } from '../../lib/is-record.ts';
import { textOf } from '../fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a chart that is a folder says by itself. */
export interface ChartFiles {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  /** `>=1.29.0-0`; empty: none. */
  readonly kubeVersion: string;
  /** Its values.yaml. */
  readonly defaults: Fields;
  /** Its values.schema.json. */
  readonly schema?: Fields;
}

/** The chart beside the program, or of a working copy; undefined where there is none. */
export function chartPath(moduleUrl: string): string | undefined {
  for (let folder = path.dirname(fileURLToPath(moduleUrl)); ; folder = path.dirname(folder)) {
    for (const candidate of ['chart', path.join('charts', 'haptic')])
      if (existsSync(path.join(folder, candidate, 'Chart.yaml'))) return path.join(folder, candidate);
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** Reads a chart's folder. Undefined: it is no folder, so only helm can look into it. */
export async function readChart(
  chart: string,
): Promise<
  | { readonly ok: true; readonly files: ChartFiles }
  | { readonly ok: false; readonly reason: string }
  | undefined
> {
  const file = path.join(chart, 'Chart.yaml');
  if (!existsSync(file)) return undefined;
  try {
    const about = fieldsOf(parse(await readFile(file, 'utf8')));
    const schema = path.join(chart, 'values.schema.json');
    return {
      ok: true,
      files: {
        ...{
          name: textOf(about['name']),
          version: textOf(about['version']),
          appVersion: textOf(about['appVersion']),
        },
        kubeVersion: textOf(about['kubeVersion']),
        defaults: fieldsOf(parse(await readFile(path.join(chart, 'values.yaml'), 'utf8'))),
        ...(existsSync(schema) && { schema: fieldsOf(JSON.parse(await readFile(schema, 'utf8'))) }),
      },
    };
  } catch (error) {
    return { ok: false, reason: `${chart}: ${errorMessage(error)}` };
  }
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
