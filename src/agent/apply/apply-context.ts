import type { Logger } from 'pino';
import type { AgentMeters } from '../agent-meters.ts';
import type { AgentOptions } from '../agent-options.ts';
import type { Clock } from '../clock.ts';
import type { ConfigCopy } from '../keep-config-copy.ts';
import type { HeldFiles } from '../files/held-files.ts';
import type { StagingArea } from '../files/staging-area.ts';
import type { DeferredDeletes } from '../runtime/deferred-deletes.ts';
import type { PlanBlobFile } from '../state/plan-blob.ts';
import type { RecordStore } from '../state/record-store.ts';
import type { WorkerWatch } from '../worker-watch.ts';
import type { ReloadPacer } from './reload-pacer.ts';

/** What an apply works on. One apply at a time: the caller holds the lock. */
export interface ApplyContext {
  readonly options: AgentOptions;
  readonly log: Logger;
  readonly clock: Clock;
  readonly meters: AgentMeters;
  readonly store: RecordStore;
  readonly held: HeldFiles;
  readonly area: StagingArea;
  readonly blob: PlanBlobFile;
  readonly watch: WorkerWatch;
  readonly deletes: DeferredDeletes;
  readonly pacer: ReloadPacer;
  readonly configCopy: ConfigCopy;
}

/** When the request came, and what was spent on it before this: milliseconds of `performance.now()`. */
export interface ApplyClock {
  readonly began: number;
  readonly stageMs: number;
  readonly admitMs: number;
}
