import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { entriesOf, valuesOf } from '../lib/ordered-map.ts';
import { limits } from '../protocol/limits.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Provenance } from '../protocol/provenance.ts';
import { fieldsOf } from './backend-fields.ts';
import { outputRecorder, type OutputRecord } from './output-records.ts';
import type { PlanHeader, PlanRecord } from './plan-records.ts';

/** Outputs of the render that HAProxy accepted last. */
export type AcceptedOutputs = Pick<Provenance, 'configuration' | 'outputs'>;

/** Records between two turns of the event loop: about a millisecond's worth. */
const slice = 200;
const compressionLevel = 3;

/**
 * The plan as an opaque blob for the agents to keep: zstd over lines of JSON, file bytes left out. The work is done in slices with
 * turns of the event loop between them. With `accepted`, these outputs follow, again without file bytes: what the next controller
 * needs to hold an object at what it was.
 *
 * Undefined when it is larger than a pod takes (`limits.planBlobBytes`): then the pod goes without. Rejects when aborted.
 */
export async function encodePlan(
  plan: Plan,
  signal?: AbortSignal,
  accepted?: AcceptedOutputs,
): Promise<Uint8Array | undefined> {
  const zstd = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: compressionLevel, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  const chunks: Buffer[] = [];
  let size = 0;
  await pipeline(
    slicesOf(plan, accepted),
    zstd,
    async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of compressed) {
        size += chunk.byteLength;
        if (size <= limits.planBlobBytes) chunks.push(chunk);
      }
    },
    { ...(signal && { signal }) },
  );
  return size <= limits.planBlobBytes ? Buffer.concat(chunks) : undefined;
}

async function* slicesOf(plan: Plan, accepted?: AcceptedOutputs): AsyncGenerator<string> {
  let lines: string[] = [JSON.stringify(headerOf(plan))];
  for (const record of allRecordsOf(plan, accepted)) {
    lines.push(JSON.stringify(record));
    if (lines.length < slice) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
    await nextTurn();
  }
  yield `${lines.join('\n')}\n`;
}

function headerOf(plan: Plan): PlanHeader {
  const { sections, profiles, backends, maps, crtLists, files } = plan;
  let records = [sections, profiles, backends, maps, crtLists, files].reduce(
    (sum, { size }) => sum + size,
    0,
  );
  for (const { entries } of [...valuesOf(maps), ...valuesOf(crtLists)]) records += entries.size;
  return { schemaVersion: plan.schemaVersion, id: plan.id, records };
}

function* allRecordsOf(
  plan: Plan,
  accepted?: AcceptedOutputs,
): Generator<PlanRecord | OutputRecord | readonly ['outputs', string]> {
  yield* recordsOf(plan);
  if (accepted === undefined) return;
  yield ['outputs', accepted.configuration];
  const recordOf = outputRecorder(plan);
  for (const [place, output] of entriesOf(accepted.outputs)) yield recordOf(place, output);
}

function* recordsOf(plan: Plan): Generator<PlanRecord> {
  const printed = new Map<string, string>();
  for (const [key, { kind, name, text, template, owner }] of entriesOf(plan.sections)) {
    printed.set(`${kind} ${name}`, text);
    yield ['section', key, kind, name, text, template, owner ?? null];
  }
  const unlessPrinted = (section: string, text: string) => (printed.get(section) === text ? null : text);
  for (const { name, hasRules, text } of valuesOf(plan.profiles))
    yield ['profile', name, hasRules, unlessPrinted(`profile ${name}`, text)];
  for (const backend of valuesOf(plan.backends))
    yield [
      'backend',
      fieldsOf(backend),
      unlessPrinted(`backend ${backend.name}`, backend.text),
      backend.owner ?? null,
    ];
  for (const map of valuesOf(plan.maps)) {
    yield ['map', map.path, map.ordered];
    for (const [position, { key, value, text, owner }] of entriesOf(map.entries))
      yield [
        'entry',
        position === key ? null : position,
        key,
        value,
        text === `${key} ${value}\n` ? null : text,
        owner ?? null,
      ];
  }
  for (const list of valuesOf(plan.crtLists)) {
    yield ['crtlist', list.path];
    for (const [position, { certificate, options, sniFilters, owner }] of entriesOf(list.entries))
      yield ['crtentry', position, certificate, options, sniFilters, owner ?? null];
  }
  for (const { path, kind, reloadOnChange, digest, size } of valuesOf(plan.files))
    yield ['file', path, kind, reloadOnChange, digest, size];
}
