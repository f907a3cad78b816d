import type { TestProject } from 'vitest/node';
import { openCluster } from '../fixtures/install/open-cluster.ts';

let close = (): Promise<void> => Promise.resolve();

/** One cluster with nodes for all specs of the project; where there is none, they say why they are skipped. */
export async function setup(project: TestProject): Promise<void> {
  const cluster = await openCluster(process.env);
  if (typeof cluster === 'string') return;
  close = () => cluster.close();
  project.provide('installOn', cluster.target);
}

export async function teardown(): Promise<void> {
  await close();
}
