import { defineConfig } from 'vitest/config';

/**
 * Test projects, cheapest first. `./dev test NAME…` picks some.
 */
const project = (
  name: string,
  options: { timeout?: number; serial?: boolean; globalSetup?: string; group?: number } = {},
) => ({
  test: {
    name,
    include: [`test/${name}/**/*.spec.ts`],
    testTimeout: options.timeout ?? 10_000,
    hookTimeout: options.timeout ?? 10_000,
    fileParallelism: options.serial !== true,
    sequence: { groupOrder: options.group ?? 0 },
    ...(options.globalSetup === undefined ? {} : { globalSetup: options.globalSetup }),
    setupFiles: ['test/setup/properties.ts', ...(name === 'marbles' ? ['test/marbles/setup.ts'] : [])],
  },
});

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('unit', { timeout: 30_000 }),
      project('marbles'),
      project('haproxy', { timeout: 120_000 }),
      project('sandbox', { timeout: 120_000 }),
      project('browser', { timeout: 120_000, serial: true }),
      project('docs', { timeout: 180_000, serial: true }),
      project('chart', { timeout: 60_000 }),
      project('cluster', { timeout: 120_000, serial: true, globalSetup: 'test/cluster/setup.ts' }),
      // After the others: it counts lost requests on the machine that they keep busy.
      project('install', { timeout: 300_000, serial: true, globalSetup: 'test/install/setup.ts', group: 1 }),
    ],
  },
});
