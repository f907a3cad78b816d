import type { KubeObject } from '../api/kube-object.ts';
import type { KubeFailure } from '../kube/kube-failure.ts';
import { statusFailure } from '../kube/status-failure.ts';
import type { Problem } from '../lib/problem.ts';
import { normalizeObject, type TypeHint } from './normalize-object.ts';
import { isRecord } from '../lib/is-record.ts';

/** One line of a watch. */
export type WatchLine =
  | {
      readonly kind: 'object';
      readonly change: 'added' | 'modified' | 'deleted';
      readonly object: KubeObject;
    }
  | { readonly kind: 'bookmark'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  /** An object nobody can use; its version still counts. */
  | { readonly kind: 'malformed'; readonly problem: Problem; readonly resourceVersion?: string }
  /** The server's last word. */
  | { readonly kind: 'error'; readonly failure: KubeFailure }
  /** Not a watch event at all: the stream cannot be trusted from here on. */
  | { readonly kind: 'garbage'; readonly message: string };

const changes = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;
const initialEventsEnd = 'k8s.io/initial-events-end';

/** Reads `{"type":…,"object":…}`. Never throws. */
export function parseWatchLine(line: string, hint: TypeHint): WatchLine {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return garbage(line, 'is not JSON');
  }
  if (!isRecord(event) || typeof event['type'] !== 'string') return garbage(line, 'has no type');
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      // Of what is gone, only its name is of interest: it may have been stored when it was no deeper than it should.
      const normal = normalizeObject(object, type === 'DELETED' ? { ...hint, anyDepth: true } : hint);
      if (normal.ok) return { kind: 'object', change: changes[type], object: normal.object };
      const { resourceVersion } = normal;
      return {
        kind: 'malformed',
        problem: normal.problem,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
    }
    case 'BOOKMARK': {
      const metadata = isRecord(object) ? object['metadata'] : undefined;
      const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
      if (!isRecord(metadata) || typeof version !== 'string' || version === '')
        return garbage(line, 'is a bookmark without a resourceVersion');
      const annotations = metadata['annotations'];
      const end = isRecord(annotations) && annotations[initialEventsEnd] === 'true';
      return { kind: 'bookmark', resourceVersion: version, initialEventsEnd: end };
    }
    case 'ERROR':
      return { kind: 'error', failure: statusFailure(0, object) };
    default:
      return garbage(line, 'has an unknown type');
  }
}

/** Says what is wrong by length only: a line may hold a Secret. */
function garbage(line: string, what: string): WatchLine {
  return { kind: 'garbage', message: `a watch line of ${line.length} characters ${what}` };
}
