import { randomUUID } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { type LabelRequirement, labelSelectorOf } from '../../lib/label-selector.ts';
import { getIn, isRecord, listOf, textOf } from './json.ts';
import { viewOf, type ApiContext } from './api-context.ts';
import type { ApiObject } from './api-object.ts';
import { apiError } from './api-status.ts';
import type { ResourceType } from './resource-type.ts';

/** A write that is about to happen. */
export interface AdmittedWrite {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly type: ResourceType;
  /** As it would be stored; absent for a deletion. */
  readonly object?: ApiObject;
  readonly oldObject?: ApiObject;
  readonly dryRun: boolean;
  readonly user: string;
}

interface Webhook {
  readonly name: string;
  readonly url: string;
  readonly caBundle: string;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
}

const configurations = { group: 'admissionregistration.k8s.io', kind: 'ValidatingWebhookConfiguration' };

/** Validating webhooks that want to be asked about such writes. Mostly none. */
export function webhooksFor(
  context: ApiContext,
  type: ResourceType,
  operation: AdmittedWrite['operation'],
): readonly ApiObject[] {
  const kind = context.registry.byKind(`${configurations.group}/v1`, configurations.kind);
  // As with a real server, nobody can lock the door to the key.
  if (kind === undefined || type.group === configurations.group) return [];
  return [...context.storageOf(kind).entries()]
    .map((entry) => viewOf(kind, entry))
    .filter((object) => listOf(object['webhooks']).some((webhook) => hasRule(webhook, type, operation)));
}

/**
 * Asks the validating webhooks about a write, all at once. One that answers no is an error with its words; one that does not answer
 * counts by its failure policy. Warnings are handed on.
 */
export async function callWebhooks(
  context: ApiContext,
  configured: readonly ApiObject[],
  write: AdmittedWrite,
  warn: (text: string) => void,
): Promise<void> {
  const asked = configured
    .flatMap((object) => listOf(object['webhooks']))
    .filter((webhook) => hasRule(webhook, write.type, write.operation) && isSelected(context, webhook, write))
    .map(webhookOf);
  const review = reviewOf(write);
  const answers = await Promise.allSettled(asked.map((webhook) => ask(webhook, review)));
  answers.forEach((answer, at) => {
    const webhook = asked[at];
    if (webhook === undefined) return;
    if (answer.status === 'rejected') {
      const reason = answer.reason instanceof Error ? answer.reason.message : String(answer.reason);
      if (webhook.failurePolicy === 'Ignore') return;
      throw apiError(500, `failed calling webhook "${webhook.name}": ${reason}`);
    }
    const { allowed, warnings, status } = answer.value;
    for (const text of listOf(warnings)) warn(String(text));
    if (allowed === true) return;
    const said = isRecord(status) ? status : {};
    const details = said['details'];
    throw apiError(
      typeof said['code'] === 'number' ? said['code'] : 400,
      `admission webhook "${webhook.name}" denied the request: ${textOf(said['message']) || 'no reason given'}`,
      {
        ...(typeof said['reason'] === 'string' ? { reason: said['reason'] } : {}),
        ...(isRecord(details) ? { details } : {}),
      },
    );
  });
}

function hasRule(webhook: unknown, type: ResourceType, operation: string): boolean {
  const has = (list: unknown, value: string) => listOf(list).some((item) => item === value || item === '*');
  return listOf(getIn(webhook, ['rules'])).some(
    (rule) =>
      isRecord(rule) &&
      has(rule['apiGroups'], type.group) &&
      has(rule['apiVersions'], type.version) &&
      has(rule['resources'], type.plural) &&
      has(rule['operations'], operation),
  );
}

/** The object's own labels, before or after, and those of its namespace. */
function isSelected(
  context: ApiContext,
  webhook: unknown,
  { type, object, oldObject }: AdmittedWrite,
): boolean {
  const objectSelector = getIn(webhook, ['objectSelector']);
  if (![object, oldObject].some((one) => one !== undefined && matches(objectSelector, one))) return false;
  const namespaces = context.registry.byKind('v1', 'Namespace');
  const name = (object ?? oldObject)?.metadata.namespace;
  if (!type.namespaced || namespaces === undefined || name === undefined) return true;
  const entry = context.storageOf(namespaces).get('', name);
  return entry === undefined || matches(getIn(webhook, ['namespaceSelector']), viewOf(namespaces, entry));
}

function matches(selector: unknown, object: ApiObject): boolean {
  return !isRecord(selector) || labelSelectorOf(requirementsOf(selector)).matches(object.metadata.labels);
}

function requirementsOf(selector: Readonly<Record<string, unknown>>): readonly LabelRequirement[] {
  const labels = isRecord(selector['matchLabels']) ? selector['matchLabels'] : {};
  const operators: readonly LabelRequirement['operator'][] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
  return [
    ...Object.entries(labels).map(
      ([key, value]) => ({ key, operator: 'In', values: [String(value)] }) as const,
    ),
    ...listOf(selector['matchExpressions']).flatMap((expression) => {
      const operator = operators.find((known) => known === getIn(expression, ['operator']));
      if (operator === undefined) return [];
      const values = listOf(getIn(expression, ['values']))
        .map(String)
        .sort();
      return [{ key: String(getIn(expression, ['key'])), operator, values }];
    }),
  ];
}

function webhookOf(webhook: unknown): Webhook {
  const text = (path: readonly string[]) => {
    const value = getIn(webhook, path);
    return typeof value === 'string' ? value : '';
  };
  const seconds = getIn(webhook, ['timeoutSeconds']);
  return {
    name: text(['name']),
    url: text(['clientConfig', 'url']),
    caBundle: Buffer.from(text(['clientConfig', 'caBundle']), 'base64').toString('utf8'),
    failurePolicy: text(['failurePolicy']) || 'Fail',
    timeoutSeconds: typeof seconds === 'number' ? seconds : 10,
  };
}

function reviewOf({ operation, type, object, oldObject, dryRun, user }: AdmittedWrite): object {
  const { namespace, name } = (object ?? oldObject)?.metadata ?? { name: '' };
  const { group, version, kind, plural: resource } = type;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      kind: { group, version, kind },
      resource: { group, version, resource },
      requestKind: { group, version, kind },
      requestResource: { group, version, resource },
      name,
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: { username: user },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun,
      options: null,
    },
  };
}

function ask({ url, caBundle, timeoutSeconds }: Webhook, review: object): Promise<Record<string, unknown>> {
  const body = JSON.stringify(review);
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new Error(`Post "${url}?timeout=${timeoutSeconds}s": ${error.message}`));
    if (url === '') {
      failed(new Error('a webhook behind a Service cannot be reached from here: give it a url'));
      return;
    }
    const request = httpsRequest(`${url}?timeout=${timeoutSeconds}s`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
      ...(caBundle === '' ? {} : { ca: caBundle }),
    });
    request.on('error', failed);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', failed);
      response.on('end', () => {
        try {
          const answer: unknown = JSON.parse(text);
          const said = getIn(answer, ['response']);
          if (response.statusCode === 200 && isRecord(said)) resolve(said);
          else failed(new Error(textOf(getIn(answer, ['message'])) || `status ${response.statusCode ?? 0}`));
        } catch {
          failed(new Error(`status ${response.statusCode ?? 0} with a body that is no JSON`));
        }
      });
    });
    request.end(body);
  });
}
