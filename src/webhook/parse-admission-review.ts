import type { KubeObject } from '../api/kube-object.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';
import type { AdmissionOperation, AdmissionRequest } from './admission-request.ts';

export const reviewVersion = 'admission.k8s.io/v1';

const operations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE'];

/**
 * Reads an AdmissionReview (admission.k8s.io/v1, unvalidated JSON). Fields that are not needed are not looked at.
 *
 * @throws CodedError `HAPTIC_ERR_WEBHOOK_REVIEW` for what is no such review, or says too little about its object: names the field
 */
export function parseAdmissionReview(value: unknown): AdmissionRequest {
  if (!isRecord(value)) throw fault('the body', 'must be an AdmissionReview object');
  const { apiVersion, kind } = value;
  if (kind !== 'AdmissionReview') throw fault('kind', `must be AdmissionReview, not ${shown(kind)}`);
  if (apiVersion !== reviewVersion)
    throw fault(
      'apiVersion',
      `must be ${reviewVersion}, not ${shown(apiVersion)}: set admissionReviewVersions: [v1] in the webhook's configuration`,
    );
  const request = value['request'];
  if (!isRecord(request)) throw fault('request', 'is missing or not an object');
  const uid = textOf(request, 'uid');
  if (uid === '') throw fault('request.uid', 'is missing');
  const type = recordOf(request, 'kind');
  const resource = recordOf(request, 'resource');
  const operation = operations.find((known) => known === request['operation']);
  if (operation === undefined)
    throw fault(
      'request.operation',
      `must be one of ${operations.join(', ')}, not ${shown(request['operation'])}`,
    );
  const subResource = textOf(request, 'subResource');
  const namespace = textOf(request, 'namespace');
  const about = { group: textOf(type, 'group', 'request.kind'), kind: textOf(type, 'kind', 'request.kind') };
  const object = operation === 'DELETE' ? undefined : objectOf(request, 'object');
  const oldObject = operation === 'CREATE' ? undefined : objectOf(request, 'oldObject');
  const present = object ?? oldObject;
  if (present === undefined)
    throw fault(operation === 'DELETE' ? 'request.oldObject' : 'request.object', 'is missing');
  const name = textOf(request, 'name') || present.metadata.name;
  if (name === '')
    throw fault('request.name', 'is missing, and the object has neither name nor generateName');
  const plural = textOf(resource, 'resource', 'request.resource');
  if (plural === '') throw fault('request.resource.resource', 'is missing');
  const version = textOf(resource, 'version', 'request.resource');
  if (version === '') throw fault('request.resource.version', 'is missing');
  return {
    uid,
    operation,
    group: textOf(resource, 'group', 'request.resource') || about.group,
    version,
    kind: about.kind,
    resource: plural,
    ...(subResource === '' ? {} : { subResource }),
    ...(namespace === '' ? {} : { namespace }),
    name,
    dryRun: request['dryRun'] === true,
    ...(object === undefined ? {} : { object }),
    ...(oldObject === undefined ? {} : { oldObject }),
  };
}

/** An object with metadata and a name; what is to be given a name by the server has a stand-in for one. */
function objectOf(request: Readonly<Record<string, unknown>>, field: string): KubeObject | undefined {
  const value = request[field];
  if (value === undefined || value === null) return undefined;
  const at = `request.${field}`;
  if (!isRecord(value)) throw fault(at, `must be an object, not ${shown(value)}`);
  const metadata = value['metadata'];
  if (!isRecord(metadata)) throw fault(`${at}.metadata`, 'is missing or not an object');
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') return { ...value, metadata: { ...metadata, name } };
  if (typeof generateName === 'string' && generateName !== '')
    return { ...value, metadata: { ...metadata, name: `${generateName}xxxxx` } };
  return { ...value, metadata: { ...metadata, name: textOf(request, 'name') } };
}

function recordOf(request: Readonly<Record<string, unknown>>, field: string): Record<string, unknown> {
  const value = request[field];
  if (!isRecord(value)) throw fault(`request.${field}`, 'is missing or not an object');
  return value;
}

function textOf(record: Readonly<Record<string, unknown>>, field: string, at = 'request'): string {
  const value = record[field];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw fault(`${at}.${field}`, `must be a string, not ${shown(value)}`);
  return value;
}

/** Contents are not shown: a Secret may be among them. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  return value === null || value === undefined
    ? 'nothing'
    : Array.isArray(value)
      ? 'a list'
      : `of type ${typeof value}`;
}

function fault(field: string, what: string): CodedError {
  return new CodedError('HAPTIC_ERR_WEBHOOK_REVIEW', `${field} ${what}`);
}
