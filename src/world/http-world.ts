import type { Collection, Graph } from '../collections/types.ts';
import { formatOwner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { HttpContent } from '../protocol/http-content.ts';
import type { Renderer } from '../render/create-renderer.ts';
import type { HttpWorld } from '../streams/http-member.ts';

/**
 * A configuration at work as new HTTP content is tried on it: on a what-if of its graph, under the quarantine of its last render.
 *
 * @param contents as the items of `graph` read them
 */
export function httpWorldOf(
  graph: Graph,
  renderer: Pick<Renderer, 'bundle' | 'preview'>,
  contents: Collection<HttpContent>,
): HttpWorld {
  return {
    isRead: (key) => graph.isRead(contents, key),
    isDirty: () => graph.dirty,
    preview: (edits) => {
      if (graph.dirty) return undefined;
      const { plan: base } = renderer.bundle();
      const fork = graph.fork(edits);
      const preview = renderer.preview(fork, (present) => present);
      if (preview === undefined) return undefined;
      const faults = fork.problemChanges.flatMap(({ before, after }) =>
        before === undefined && after?.severity === 'error' && after.reason !== pending
          ? [wordsOf(after)]
          : [],
      );
      return { plan: preview.plan, base, faults };
    },
  };
}

/** A content may name further URLs; that those are not there yet is not its fault. */
const pending = 'ContentPending';

function wordsOf({ owner, message }: Problem): string {
  return `${formatOwner(owner)}: ${message}`;
}
