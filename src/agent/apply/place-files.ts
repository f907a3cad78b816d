import { withoutBaseline } from '../state/agent-record.ts';
import { recoverWorker } from './abort-apply.ts';
import type { ApplyContext } from './apply-context.ts';
import { makeDurable } from './make-durable.ts';
import { putFiles } from './put-files.ts';
import type { Undertaking } from './undertake.ts';

/**
 * What an answered apply by commands has left to do: its files go from the agent's folder to their places. The record says so since before
 * the answer (phase `placing`), so that an agent that ends here is followed by one that goes on. A disk that refuses now, though it
 * took all the bytes, takes the apply back: the former files stay, the worker is reloaded on them, and no baseline is known. Never rejects.
 */
export async function placeFiles(context: ApplyContext, undertaking: Undertaking): Promise<void> {
  const { store, clock } = context;
  const put = await putFiles(context, undertaking, undertaking.writing.synced());
  if (!put.ok) return takeBack(context, undertaking, put.error);
  try {
    store.announce({
      ...store.current(),
      phase: 'committed',
      wanted: undefined,
      filesCommittedAt: clock.now() * 1000,
    });
  } catch (error) {
    await put.files.undo();
    return takeBack(context, undertaking, error);
  }
  await makeDurable(context, undertaking, put.files);
}

async function takeBack(context: ApplyContext, { before }: Undertaking, error: unknown): Promise<void> {
  const { store, held, area, log, pacer } = context;
  log.error({ err: error }, 'files of an answered apply could not be put in their places: it is taken back');
  const { generation, proofCounter, appliedToken } = store.current();
  const known = { ...withoutBaseline(before), generation, proofCounter, appliedToken };
  try {
    pacer.disarm();
    await area.clear();
    held.replace(before.files, new Map());
    await recoverWorker(context, { ...known, reloadPending: undefined }, before.applied);
  } catch (again) {
    log.error({ err: again }, 'the former files are not whole either');
    await held.verify();
    store.assume({ ...known, files: held.all() });
  }
}
