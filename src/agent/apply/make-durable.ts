import type { CommittedFiles } from '../files/commit-files.ts';
import { dropLinks } from './abort-apply.ts';
import type { ApplyContext } from './apply-context.ts';
import type { Undertaking } from './undertake.ts';

/**
 * The record and the last renames outlive the machine only after the answer: what is answered outlives the agent, and the
 * worker, which is what the answer is about, does not outlive the machine either. The next apply waits for it. Never rejects.
 */
export async function makeDurable(
  context: ApplyContext,
  { under, ended }: Pick<Undertaking, 'under' | 'ended'>,
  files: CommittedFiles,
): Promise<void> {
  const { store, log } = context;
  try {
    await store.settle();
    await files.keep();
    // Only now no durable record names these links any more.
    dropLinks(context, ended);
    if (store.current().journal.size === 0) dropLinks(context, under.journal);
  } catch (error) {
    log.error({ err: error }, 'the apply may not outlive a crash of the machine');
  }
}
