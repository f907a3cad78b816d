import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import {
  fileConditions,
  mainConditions,
  twinConditions,
} from '../../src/sinks/publish/publish-conditions.ts';
import type { PublishReport } from '../../src/sinks/publish/publish-effects.ts';
import { publishedNames } from '../../src/sinks/publish/published-names.ts';
import { deployedToPodsSchema } from '../../src/api/schema/deployed-to-pods-schema.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/published-state.md'), 'utf8');
/** Cells of the table rows under a heading that holds these words. */
const rowsOf = (heading: string): readonly (readonly string[])[] =>
  (page.split(/^#+ /m).find((part) => part.startsWith(heading)) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const codesOf = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('docs/published-state.md', () => {
  it('has the names that objects have', () => {
    const names = publishedNames('web');
    const shown = rowsOf('See what runs').map(([name = '']) => codesOf(name)[0]);
    const made = (file: string) => names.file(file).replace(/[0-9a-f]{20}$/, '<digest>');
    expect(shown).toStrictEqual([
      names.main,
      names.twin,
      made('maps/host.map'),
      made('general/503.http'),
      made('ssl/crt-list.txt'),
      made('ssl/site.pem'),
    ]);
  });

  it('has every field of a pod', () => {
    const shown = rowsOf('Find out what a pod runs').flatMap(([fields = '']) => codesOf(fields));
    expect(shown.sort()).toStrictEqual(Object.keys(deployedToPodsSchema.items.properties).sort());
  });

  it('has every condition with its reasons', () => {
    const facts = { pinned: false, twin: 'x', failing: [], oversized: [] };
    const said = [
      ...mainConditions(facts),
      ...mainConditions({ ...facts, pinned: true }),
      ...twinConditions('no'),
      ...fileConditions(1),
      ...fileConditions(undefined),
    ].map(({ type, status, reason }) => `${type} ${status} ${reason}`);
    const shown = rowsOf('Read the conditions').map((cells) => cells.slice(0, 3).flatMap(codesOf).join(' '));
    for (const one of new Set(said)) expect(shown).toContain(one);
  });

  it('has every result of the tap', () => {
    const results: Record<PublishReport['kind'], true> = {
      written: true,
      status: true,
      removed: true,
      off: true,
      ready: true,
      refused: true,
      failed: true,
      too_large: true,
      given_up: true,
      published: true,
    };
    const shown = rowsOf('When it is written').flatMap(([kinds = '']) => codesOf(kinds));
    expect(shown.sort()).toStrictEqual(Object.keys(results).sort());
  });

  it('has a field that switches it off', () => {
    const [, off = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const { controller } = loadConfig([
      {
        name: 'page',
        text: `${off}\nhaproxyConfig: {template: x}\nwatchedResources: {services: {apiVersion: v1, resources: services}}\n`,
      },
    ]);
    expect(controller.configPublishing.enabled).toBe(false);
  });
});
