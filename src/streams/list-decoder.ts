import type { ResourceRef } from '../kube/resource-path.ts';
import { longestObjectText, type Decoder } from './decoder.ts';
import { listSplitter } from './list-splitter.ts';
import type { ListWatchSignal } from './list-watch-state.ts';
import { normalizeObject, type NormalizedObject, type TypeHint } from './normalize-object.ts';
import { isRecord } from '../lib/is-record.ts';

/**
 * Reads a list page while it arrives: `objects` per chunk, then `list-end`. A page that is cut short gives `closed`, one
 * that is no list of objects gives `failed`; what came before stands.
 */
export function listDecoder(resource: ResourceRef & Pick<TypeHint, 'anyDepth'>): Decoder {
  const splitter = listSplitter();
  let hint: TypeHint | undefined;

  return {
    push: (text) => {
      const items = splitter.push(text);
      if (splitter.pending > longestObjectText) return [broken('an item of the list is too long')];
      if (items.length === 0) return [];
      hint ??= typeHint(resource, splitter.head());
      const objects: NormalizedObject[] = [];
      for (const item of items) {
        const value = parsed(item);
        if (value === undefined)
          return [{ kind: 'objects', objects }, broken(`an item of ${item.length} characters is not JSON`)];
        objects.push(normalizeObject(value, hint));
      }
      return [{ kind: 'objects', objects }];
    },
    end: () => {
      if (!splitter.ended) return { kind: 'closed' };
      const list = parsed(splitter.head());
      const metadata = isRecord(list) ? list['metadata'] : undefined;
      const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
      if (!isRecord(metadata) || typeof version !== 'string')
        return broken('the answer is not a list: it has no metadata.resourceVersion');
      const next = metadata['continue'];
      return {
        kind: 'list-end',
        resourceVersion: version,
        continue: typeof next === 'string' && next !== '' ? next : undefined,
      };
    },
  };
}

/** Items of typed lists do not say their kind; the list, which is an `IngressList`, does. */
function typeHint(
  { apiVersion, resources, anyDepth = false }: ResourceRef & Pick<TypeHint, 'anyDepth'>,
  head: string,
): TypeHint {
  const list = parsed(head);
  const kind = isRecord(list) ? list['kind'] : undefined;
  return {
    apiVersion,
    kind: typeof kind === 'string' && /.List$/.test(kind) ? kind.slice(0, -4) : resources,
    anyDepth,
  };
}

function broken(message: string): ListWatchSignal {
  return { kind: 'failed', failure: { kind: 'protocol', message } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
