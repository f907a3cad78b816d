import { textOf, viewOf, type ApiContext } from './api-context.ts';
import { apiError } from './api-status.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import type { ResourceType } from './resource-type.ts';
import type { Entry } from './storage.ts';

export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListQuery extends Selection {
  readonly limit?: number;
  readonly continue?: string;
}

export interface ListPage {
  readonly entries: readonly Entry[];
  readonly revision: number;
  /** Token of the next page; absent on the last one. */
  readonly continue?: string;
  readonly remaining?: number;
}

/** Pages that were begun: each later page comes from the same snapshot, as kube-apiserver's do. */
export interface PageKeeper {
  readonly keep: (page: Omit<OpenList, 'id'>) => string;
  readonly open: (token: string) => OpenList;
  /** Makes every token expire (410). */
  readonly expire: () => void;
}

interface OpenList {
  readonly id: string;
  readonly type: ResourceType;
  readonly entries: readonly Entry[];
  readonly offset: number;
  readonly revision: number;
}

const keptLists = 64;

export function createPageKeeper(): PageKeeper {
  const open = new Map<string, OpenList>();
  let counter = 0;
  return {
    keep: (page) => {
      const id = String(++counter);
      open.set(id, { ...page, id });
      const [oldest] = open.keys();
      if (open.size > keptLists && oldest !== undefined) open.delete(oldest);
      return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', id, rv: page.revision })).toString(
        'base64url',
      );
    },
    open: (token) => {
      const found = open.get(idOf(token));
      if (found === undefined) {
        throw apiError(
          410,
          'The provided continue parameter is too old to display a consistent list result.',
          {
            reason: 'Expired',
          },
        );
      }
      return found;
    },
    expire: () => open.clear(),
  };
}

/** Tests an entry against namespace and selectors. */
export function selectorOf(type: ResourceType, selection: Selection): (entry: Entry) => boolean {
  const labels = parseLabelSelector(selection.labelSelector ?? '');
  const fields = parseFieldSelector(selection.fieldSelector ?? '', type);
  const plain = (selection.labelSelector ?? '') === '' && (selection.fieldSelector ?? '') === '';
  const { namespace } = selection;
  return (entry) =>
    (namespace === undefined || entry.namespace === namespace) &&
    (plain || (labels(entry.object.metadata.labels) && fields.test(viewOf(type, entry))));
}

/** All entries of the kind that are selected, in key order. A selector of one name does not look at the others. */
export function selectEntries(
  context: ApiContext,
  type: ResourceType,
  selection: Selection,
): readonly Entry[] {
  const storage = context.storageOf(type);
  const { name } = parseFieldSelector(selection.fieldSelector ?? '', type);
  const matches = selectorOf(type, selection);
  if (name !== undefined && (selection.namespace !== undefined || !type.namespaced)) {
    const entry = storage.get(selection.namespace ?? '', name);
    return entry !== undefined && matches(entry) ? [entry] : [];
  }
  const entries = storage.entries(selection.namespace);
  const plain = (selection.labelSelector ?? '') === '' && (selection.fieldSelector ?? '') === '';
  return plain ? entries : entries.filter(matches);
}

export function listObjects(
  context: ApiContext,
  pages: PageKeeper,
  type: ResourceType,
  query: ListQuery,
): ListPage {
  const { limit = 0 } = query;
  const open = query.continue === undefined || query.continue === '' ? undefined : pages.open(query.continue);
  const entries = open?.entries ?? selectEntries(context, type, query);
  const offset = open?.offset ?? 0;
  const revision = open?.revision ?? context.clock.current();
  if (limit <= 0 || entries.length - offset <= limit) {
    return { entries: offset === 0 ? entries : entries.slice(offset), revision };
  }
  const next = offset + limit;
  return {
    entries: entries.slice(offset, next),
    revision,
    continue: pages.keep({ type, entries, offset: next, revision }),
    remaining: entries.length - next,
  };
}

/** The list as JSON, joined from the texts that its objects already have. */
export function listText(type: ResourceType, apiVersion: string, page: ListPage): string {
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue, remainingItemCount: page.remaining }),
  };
  const head = `{"kind":"${type.kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`;
  return `${head}${page.entries.map((entry) => textOf(type, entry)).join(',')}]}`;
}

function idOf(token: string): string {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return typeof parsed === 'object' && parsed !== null && 'id' in parsed ? String(parsed.id) : '';
  } catch {
    throw apiError(400, 'continue key is not valid');
  }
}
