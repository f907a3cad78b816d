import type { IncomingMessage, ServerResponse } from 'node:http';
import { reportFields } from './admit-object.ts';
import { detailsOf, findEntry, textOf, viewOf, type ApiContext, type WriteOptions } from './api-context.ts';
import type { ApiObject } from './api-object.ts';
import { apiError } from './api-status.ts';
import { admitted } from './admitted.ts';
import { builtinMessage } from './builtin/builtin-schemas.ts';
import { deleteObject, type DeleteOptions } from './delete-object.ts';
import { duplicateFields } from './duplicate-fields.ts';
import type { FaultAction, FaultSubject } from './faults.ts';
import { getIn, isRecord } from './json.ts';
import { listObjects, listText, selectEntries, type PageKeeper, type Selection } from './list-objects.ts';
import { negotiate, type MediaType } from './media-type.ts';
import { patched, patchObject, type PatchType } from './patch-object.ts';
import { readBody, type RequestBody } from './read-body.ts';
import type { ResourcePath } from './request-path.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';
import { sendJson, sendObject, sendText } from './send-response.ts';
import { scaleOf, withScale } from './scale.ts';
import { includeOf, serveWatch, withName, type OpenWatch } from './serve-watch.ts';
import { partialOf, tableOf } from './table.ts';
import { createObject, replaceObject } from './write-object.ts';

/** One request for objects, with all that its answer needs. */
export interface ResourceRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly user: string;
  readonly subject: FaultSubject;
  readonly faults: readonly FaultAction[];
}

export interface ResourceServer {
  readonly context: ApiContext;
  readonly pages: PageKeeper;
  readonly watches: Set<OpenWatch>;
  readonly bookmarkIntervalMs: number;
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Carries out a request for objects and answers it. Throws an `apiError` for what it does not carry out. */
export async function serveResource(server: ResourceServer, asked: ResourceRequest): Promise<void> {
  const type = typeOf(server.context, asked.path);
  switch (asked.request.method) {
    case 'GET':
      serveRead(server, type, asked);
      return;
    case 'POST':
      await serveCreate(server.context, type, asked);
      return;
    case 'PUT':
    case 'PATCH':
      await serveUpdate(server.context, type, asked);
      return;
    case 'DELETE':
      await serveDelete(server, type, asked);
      return;
    default:
      throw apiError(405, 'the server does not allow this method on the requested resource');
  }
}

function typeOf(context: ApiContext, path: ResourcePath): ResourceType {
  const type = context.registry.byPlural(path.group, path.version, path.plural);
  const parts: Readonly<Record<string, unknown>> = {
    '': true,
    status: type?.status === true,
    scale: type?.scale,
    finalize: path.plural === 'namespaces',
  };
  if (type === undefined || parts[path.subresource] === undefined || parts[path.subresource] === false)
    throw apiError(404, 'the server could not find the requested resource', { details: {} });
  return type;
}

function serveRead(server: ResourceServer, type: ResourceType, asked: ResourceRequest): void {
  const { context } = server;
  const { path, query, response, request } = asked;
  const media = negotiate(request.headers.accept);
  if (type.answer !== undefined)
    throw apiError(405, 'the server does not allow this method on the requested resource');
  if (isTrue(query.get('watch'))) {
    serveWatch(context, server.watches, request, response, {
      type,
      subject: asked.subject,
      query,
      namespace: scopeOf(type, path),
      name: path.name,
      media,
      faults: asked.faults,
      bookmarkIntervalMs: server.bookmarkIntervalMs,
    });
    return;
  }
  if (path.name === '') {
    serveList(server, type, asked, media);
    return;
  }
  const entry = findEntry(context, type, path.namespace, path.name);
  if (path.subresource === 'scale' && type.scale !== undefined) {
    sendJson(response, 200, scaleOf(viewOf(type, entry), type.scale));
  } else if (media.as === 'object' && !media.yaml) sendText(response, 200, textOf(type, entry));
  else answer(context, type, asked, 200, viewOf(type, entry), media);
}

function serveList(
  server: ResourceServer,
  type: ResourceType,
  asked: ResourceRequest,
  media: MediaType,
): void {
  const { context } = server;
  const { query, response } = asked;
  const page = listObjects(context, server.pages, type, {
    ...selectionOf(type, asked),
    limit: Number(query.get('limit') ?? 0),
    continue: query.get('continue') ?? '',
  });
  if (media.as === 'object') {
    const text = listText(type, apiVersionOf(type), page);
    if (media.yaml) sendObject(response, 200, JSON.parse(text), true);
    else sendText(response, 200, text);
    return;
  }
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue, remainingItemCount: page.remaining }),
  };
  const objects = page.entries.map((entry) => viewOf(type, entry));
  const body =
    media.as === 'table'
      ? tableOf(type, objects, metadata, includeOf(query), context.now())
      : {
          kind: 'PartialObjectMetadataList',
          apiVersion: 'meta.k8s.io/v1',
          metadata,
          items: objects.map(partialOf),
        };
  sendObject(response, 200, body, media.yaml);
}

async function serveCreate(context: ApiContext, type: ResourceType, asked: ResourceRequest): Promise<void> {
  const { path, request } = asked;
  if (path.name !== '')
    throw apiError(405, 'the server does not allow this method on the requested resource');
  const body = await readBody(request, type.schema);
  if (type.answer !== undefined) {
    sendJson(asked.response, 201, type.answer(body.value as ApiObject, asked.user));
    return;
  }
  const warnings: string[] = [];
  const options = writeOptions(asked, warnings);
  reportDuplicates(type, body, options);
  const object = await admitted({ context, type, user: asked.user, options }, 'CREATE', (how) => {
    const made = createObject(context, type, path.namespace, body.value, how);
    return { object: made, result: made };
  });
  answer(context, type, asked, 201, object, negotiate(request.headers.accept), warnings);
}

async function serveUpdate(context: ApiContext, type: ResourceType, asked: ResourceRequest): Promise<void> {
  const { path, request, query } = asked;
  const { namespace, name } = path;
  const body = await readBody(
    request,
    path.subresource === 'scale' ? builtinMessage('autos.Scale') : type.schema,
  );
  const warnings: string[] = [];
  const options = writeOptions(asked, warnings);
  reportDuplicates(type, body, options);
  if (name === '') throw apiError(405, 'the server does not allow this method on the requested resource');
  if (path.subresource === 'scale' && type.scale !== undefined) {
    serveScale(context, type, type.scale, asked, body.value, options);
    return;
  }
  if (request.method === 'PUT') {
    const { subresource: _, ...plain } = options;
    const how = path.subresource === 'finalize' ? plain : options;
    const object = await admitted({ context, type, user: asked.user, options: how }, 'UPDATE', (given) => {
      const entry = findEntry(context, type, namespace, name);
      const next = replaceObject(context, type, entry, body.value, given);
      return { object: next, oldObject: viewOf(type, entry), result: next };
    });
    answer(context, type, asked, 200, object, negotiate(request.headers.accept), warnings);
    return;
  }
  const force = isTrue(query.get('force'));
  const patchType = patchTypeOf(request);
  const result = await admitted({ context, type, user: asked.user, options }, 'UPDATE', (how) => {
    const entry = context.storageOf(type).get(namespace, name);
    const done = patchObject(context, type, namespace, name, patchType, body.value, { ...how, force });
    const { object } = done;
    return { object, result: done, ...(entry === undefined ? {} : { oldObject: viewOf(type, entry) }) };
  });
  answer(
    context,
    type,
    asked,
    result.created ? 201 : 200,
    result.object,
    negotiate(request.headers.accept),
    warnings,
  );
}

function serveScale(
  context: ApiContext,
  type: ResourceType,
  paths: NonNullable<ResourceType['scale']>,
  asked: ResourceRequest,
  body: unknown,
  options: WriteOptions,
): void {
  const entry = findEntry(context, type, asked.path.namespace, asked.path.name);
  const current = viewOf(type, entry);
  const patchType = asked.request.method === 'PUT' ? undefined : patchTypeOf(asked.request);
  const scale =
    patchType === undefined
      ? body
      : patched(
          type,
          scaleOf(current, paths),
          patchType === 'apply' || patchType === 'strategic' ? 'merge' : patchType,
          body,
        );
  const replicas = getIn(scale, ['spec', 'replicas']) ?? 0;
  if (!Number.isInteger(replicas) || Number(replicas) < 0)
    throw apiError(
      422,
      `Scale.autoscaling "${asked.path.name}" is invalid: spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    );
  const { subresource: _, ...plain } = options;
  const object = replaceObject(context, type, entry, withScale(current, scale, paths), plain);
  sendJson(asked.response, 200, scaleOf(object, paths));
}

async function serveDelete(
  server: ResourceServer,
  type: ResourceType,
  asked: ResourceRequest,
): Promise<void> {
  const { context } = server;
  const { path, query, request, response } = asked;
  const options = deleteOptions((await readBody(request, builtinMessage('meta.DeleteOptions'))).value, query);
  if (path.name === '') {
    const entries = selectEntries(context, type, selectionOf(type, asked));
    for (const entry of entries) deleteObject(context, type, entry, options);
    sendText(
      response,
      200,
      listText(type, apiVersionOf(type), { entries, revision: context.clock.current() }),
    );
    return;
  }
  const warnings: string[] = [];
  const { gone, object } = await admitted(
    {
      context,
      type,
      user: asked.user,
      options: { dryRun: options.dryRun === true, warn: (text) => warnings.push(text) },
    },
    'DELETE',
    ({ dryRun = false }) => {
      const entry = findEntry(context, type, path.namespace, path.name);
      return {
        oldObject: viewOf(type, entry),
        result: deleteObject(context, type, entry, { ...options, dryRun }),
      };
    },
  );
  if (!gone) {
    answer(context, type, asked, 200, object, negotiate(request.headers.accept), warnings);
    return;
  }
  const success = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { ...detailsOf(type, path.name), uid: object.metadata.uid },
  };
  sendObject(response, 200, success, false, warnings);
}

function answer(
  context: ApiContext,
  type: ResourceType,
  asked: ResourceRequest,
  code: number,
  object: ApiObject,
  media: MediaType,
  warnings: readonly string[] = [],
): void {
  const { resourceVersion } = object.metadata;
  const body =
    media.as === 'table'
      ? tableOf(type, [object], { resourceVersion }, includeOf(asked.query), context.now())
      : media.as === 'partial'
        ? partialOf(object)
        : object;
  sendObject(asked.response, code, body, media.yaml, warnings);
}

function selectionOf(type: ResourceType, asked: ResourceRequest): Selection {
  const namespace = scopeOf(type, asked.path);
  return {
    ...(namespace === undefined ? {} : { namespace }),
    labelSelector: asked.query.get('labelSelector') ?? '',
    fieldSelector: withName(asked.query.get('fieldSelector') ?? '', asked.path.name),
  };
}

function scopeOf(type: ResourceType, path: ResourcePath): string | undefined {
  return type.namespaced && path.namespace !== '' ? path.namespace : undefined;
}

function writeOptions(asked: ResourceRequest, warnings: string[]): WriteOptions {
  const { query, request, path } = asked;
  const validation = query.get('fieldValidation') ?? '';
  const agent = (request.headers['user-agent'] ?? 'unknown').split('/', 1)[0] ?? 'unknown';
  const manager = query.get('fieldManager') ?? '';
  return {
    ...(manager !== '' || patchTypes[contentTypeOf(request)] === 'apply'
      ? { fieldManager: manager }
      : { fieldManager: agent }),
    dryRun: query.getAll('dryRun').includes('All'),
    fieldValidation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    ...(path.subresource === '' ? {} : { subresource: path.subresource }),
    warn: (text) => warnings.push(text),
  };
}

function reportDuplicates(type: ResourceType, body: RequestBody, options: WriteOptions): void {
  if (!body.json || options.fieldValidation === 'Ignore') return;
  const found = duplicateFields(body.text).map((path) => `duplicate field "${path}"`);
  reportFields(type, found, options);
}

function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const sent = isRecord(body) ? body : {};
  const policy = sent['propagationPolicy'] ?? query.get('propagationPolicy');
  const grace = sent['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined;
  const uid = getIn(sent, ['preconditions', 'uid']);
  const resourceVersion = getIn(sent, ['preconditions', 'resourceVersion']);
  const dryRun = sent['dryRun'] ?? query.getAll('dryRun');
  return {
    ...(policy === 'Foreground' || policy === 'Orphan' || policy === 'Background'
      ? { propagationPolicy: policy }
      : {}),
    ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    dryRun: Array.isArray(dryRun) && dryRun.includes('All'),
  };
}

function patchTypeOf(request: IncomingMessage): PatchType {
  const type = patchTypes[contentTypeOf(request)];
  if (type !== undefined) return type;
  throw apiError(
    415,
    `the body of the request was in an unknown format - accepted media types include: ${Object.keys(patchTypes).join(', ')}`,
  );
}

function contentTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '';
}

function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1' || value === '';
}
