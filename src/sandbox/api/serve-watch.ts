import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOf, viewOf, type ApiContext } from './api-context.ts';
import { apiError, apiStatus } from './api-status.ts';
import type { FaultAction, FaultSubject } from './faults.ts';
import type { MediaType } from './media-type.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';
import type { Entry } from './storage.ts';
import { partialOf, tableOf, type IncludeObject } from './table.ts';
import { bookmarkObject, watchObjects, type WatchedChange } from './watch-objects.ts';
import { createWatchResponse, type WatchResponse } from './watch-response.ts';

/** An open watch, for faults that hit it while it runs. */
export interface OpenWatch {
  readonly subject: FaultSubject;
  readonly response: WatchResponse;
}

export interface WatchRequest {
  readonly type: ResourceType;
  readonly subject: FaultSubject;
  readonly query: URLSearchParams;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly media: MediaType;
  readonly faults: readonly FaultAction[];
  readonly bookmarkIntervalMs: number;
}

/** Answers a watch: headers, present objects, then every change in the tick in which it is written. */
export function serveWatch(
  context: ApiContext,
  open: Set<OpenWatch>,
  request: IncomingMessage,
  response: ServerResponse,
  watch: WatchRequest,
): void {
  const { query, type } = watch;
  const initialEvents = query.get('sendInitialEvents');
  const bookmarks = query.get('allowWatchBookmarks') === 'true' && !has(watch, 'no-bookmarks');
  if (initialEvents !== null) checkInitialEvents(query, watch);
  const source = watchObjects(context, type, {
    ...(watch.namespace === undefined ? {} : { namespace: watch.namespace }),
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: withName(query.get('fieldSelector') ?? '', watch.name),
    resourceVersion: query.get('resourceVersion') ?? '',
    ...(initialEvents === null ? {} : { sendInitialEvents: initialEvents === 'true' }),
  });
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  const body = createWatchResponse(response);
  const lineOf = lineWriter(context, watch);
  const bookmark = (revision: number, end: boolean) => bookmarkLine(context, watch, revision, end);
  const send = breakingOff(watch, body);
  const stop = source.listen((change) => send(lineOf(change)));
  const timers = startTimers(watch, bookmarks, {
    bookmark: () => body.send(bookmark(context.clock.current(), false)),
    end: () => body.end(),
  });
  const entry: OpenWatch = { subject: watch.subject, response: body };
  open.add(entry);
  const close = () => {
    stop();
    for (const timer of timers) clearInterval(timer);
    open.delete(entry);
  };
  request.once('close', close);
  response.once('close', close);
  if (has(watch, 'silence')) body.silence();
  const marker = bookmarks && initialEvents === 'true' && !has(watch, 'no-end-marker');
  const last = marker ? [bookmark(source.revision, true)] : [];
  if (hasBreak(watch)) {
    for (const present of source.initial) send(lineOf({ type: 'ADDED', entry: present }));
    for (const line of last) body.send(line);
  } else body.sendAll(initialLines(source.initial, lineOf), last);
  for (const change of source.replay) send(lineOf(change));
}

/** One line of the watch protocol. */
function watchLine(type: string, objectText: string): string {
  return `{"type":"${type}","object":${objectText}}\n`;
}

/** An ERROR event as a line. */
export function errorLine(code: number): string {
  const status =
    code === 410
      ? apiStatus(410, 'too old resource version', { reason: 'Expired' })
      : apiStatus(code, `fault: ${code}`);
  return watchLine('ERROR', JSON.stringify(status));
}

function* initialLines(
  entries: readonly Entry[],
  lineOf: (change: WatchedChange) => string,
): Generator<string> {
  for (const entry of entries) yield lineOf({ type: 'ADDED', entry });
}

function lineWriter(context: ApiContext, watch: WatchRequest): (change: WatchedChange) => string {
  const { type, media } = watch;
  if (media.as === 'object') return (change) => watchLine(change.type, textOf(type, change.entry));
  if (media.as === 'partial')
    return (change) => watchLine(change.type, JSON.stringify(partialOf(viewOf(type, change.entry))));
  const include = includeOf(watch.query);
  return (change) => {
    const object = viewOf(type, change.entry);
    const { resourceVersion } = object.metadata;
    return watchLine(
      change.type,
      JSON.stringify(tableOf(type, [object], { resourceVersion }, include, context.now())),
    );
  };
}

export function includeOf(query: URLSearchParams): IncludeObject {
  const include = query.get('includeObject');
  return include === 'None' || include === 'Object' ? include : 'Metadata';
}

function bookmarkLine(context: ApiContext, watch: WatchRequest, revision: number, end: boolean): string {
  const { type, media } = watch;
  const object = bookmarkObject(type, apiVersionOf(type), revision, end) as {
    metadata: Record<string, unknown>;
  };
  if (media.as === 'partial')
    return watchLine(
      'BOOKMARK',
      JSON.stringify({ ...object, kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }),
    );
  if (media.as === 'object') return watchLine('BOOKMARK', JSON.stringify(object));
  return watchLine('BOOKMARK', JSON.stringify(tableOf(type, [], object.metadata, 'None', context.now())));
}

function checkInitialEvents(query: URLSearchParams, watch: WatchRequest): void {
  const refused = 'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: ';
  if (has(watch, 'no-initial-events'))
    throw apiError(
      400,
      `${refused}sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled`,
    );
  if (query.get('resourceVersionMatch') !== 'NotOlderThan')
    throw apiError(422, `${refused}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`, {
      reason: 'Invalid',
    });
}

/** The sender that, when a fault says so, breaks off after that many whole events. */
function breakingOff(watch: WatchRequest, body: WatchResponse): (line: string) => void {
  const fault = watch.faults.find((action) => action.kind === 'cut' || action.kind === 'watch-error');
  if (fault?.kind !== 'cut' && fault?.kind !== 'watch-error') return body.send;
  let left = fault.afterEvents;
  let over = false;
  const finish = (line: string) => {
    over = true;
    if (fault.kind === 'cut') body.cut(line);
    else {
      body.send(errorLine(fault.code));
      body.end();
    }
  };
  if (fault.kind === 'watch-error' && left <= 0) setImmediate(finish, '');
  return (line) => {
    if (over) return;
    if (left-- > 0) body.send(line);
    if (left < 0 || (fault.kind === 'watch-error' && left === 0)) finish(line);
  };
}

function startTimers(
  watch: WatchRequest,
  bookmarks: boolean,
  actions: { bookmark: () => void; end: () => void },
): NodeJS.Timeout[] {
  const timers: NodeJS.Timeout[] = [];
  if (bookmarks) timers.push(setInterval(actions.bookmark, watch.bookmarkIntervalMs));
  const seconds = Number(watch.query.get('timeoutSeconds') ?? 0);
  if (seconds > 0) timers.push(setTimeout(actions.end, seconds * 1000));
  for (const timer of timers) timer.unref();
  return timers;
}

function hasBreak(watch: WatchRequest): boolean {
  return has(watch, 'cut') || has(watch, 'watch-error');
}

function has(watch: WatchRequest, kind: FaultAction['kind']): boolean {
  return watch.faults.some((action) => action.kind === kind);
}

export function withName(fieldSelector: string, name: string): string {
  if (name === '') return fieldSelector;
  return fieldSelector === '' ? `metadata.name=${name}` : `${fieldSelector},metadata.name=${name}`;
}
