import type { Plan } from '../protocol/plan.ts';
import type { Capabilities } from './capabilities.ts';
import type { Draft } from './draft.ts';
import type { FileNeeds } from './file-needs.ts';
import type { LoadedFiles } from './loaded-files.ts';

/** What every rule of one diff looks at and writes to. */
export interface DiffContext {
  readonly next: Plan;
  /** What the worker has in memory: what operations start from. */
  readonly worker: Plan;
  /** Those that the worker has read, be they in its plan or not. */
  readonly profiles: Plan['profiles'];
  readonly capabilities: Capabilities;
  readonly loaded: LoadedFiles;
  readonly needs: FileNeeds;
  readonly draft: Draft;
}
