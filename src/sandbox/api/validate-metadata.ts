import type { ApiObject } from './api-object.ts';
import type { Cause } from './api-status.ts';
import { invalid, required } from './field-errors.ts';
import { isRecord } from './json.ts';
import {
  dns1035Hint,
  dnsLabelHint,
  dnsSubdomainHint,
  isDns1035Label,
  isDnsLabel,
  isDnsSubdomain,
  isLabelValue,
  isQualifiedName,
} from './validate-names.ts';

/** How objects of a kind may be named. `path` is anything that fits into one segment of a URL. */
export type NameRule = 'subdomain' | 'label' | 'dns1035' | 'path';

const maxAnnotationBytes = 256 * 1024;

/** Name, labels, annotations, owners and finalizers, as every kind has them. */
export function validateMetadata(object: ApiObject, rule: NameRule): readonly Cause[] {
  const { name, labels, annotations, finalizers, ownerReferences } = object.metadata;
  return [
    ...validateName(name, rule),
    ...validateLabels(labels, 'metadata.labels'),
    ...validateAnnotations(annotations),
    ...(finalizers ?? [])
      .filter((finalizer) => !isQualifiedName(finalizer))
      .map((finalizer) => invalid('metadata.finalizers', finalizer, 'name part must be a qualified name')),
    ...(ownerReferences ?? []).flatMap((owner, i) =>
      (['apiVersion', 'kind', 'name', 'uid'] as const)
        .filter((field) => typeof owner[field] !== 'string' || owner[field] === '')
        .map((field) => required(`metadata.ownerReferences[${i}].${field}`, 'must not be empty')),
    ),
  ];
}

/** Label keys and values at `field`: used for metadata, selectors and pod templates alike. */
export function validateLabels(labels: unknown, field: string): readonly Cause[] {
  if (!isRecord(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...(isQualifiedName(key)
      ? []
      : [
          invalid(
            field,
            key,
            "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
          ),
        ]),
    ...(typeof value === 'string' && isLabelValue(value)
      ? []
      : [
          invalid(
            field,
            value,
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
          ),
        ]),
  ]);
}

function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined): readonly Cause[] {
  if (annotations === undefined) return [];
  const field = 'metadata.annotations';
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return [
    ...Object.keys(annotations)
      .filter((key) => !isQualifiedName(key.toLowerCase()))
      .map((key) => invalid(field, key, 'name part must be a qualified name')),
    ...(size <= maxAnnotationBytes
      ? []
      : [
          {
            reason: 'FieldValueTooLong' as const,
            field,
            message: `Too long: may not be more than ${maxAnnotationBytes} bytes`,
          },
        ]),
  ];
}

function validateName(name: string, rule: NameRule): readonly Cause[] {
  const field = 'metadata.name';
  if (name === '') return [required(field, 'name or generateName is required')];
  switch (rule) {
    case 'label':
      return isDnsLabel(name) ? [] : [invalid(field, name, dnsLabelHint)];
    case 'dns1035':
      return isDns1035Label(name) ? [] : [invalid(field, name, dns1035Hint)];
    case 'subdomain':
      return isDnsSubdomain(name) ? [] : [invalid(field, name, dnsSubdomainHint)];
    case 'path':
      return /[/%]/.test(name) || name === '.' || name === '..'
        ? [invalid(field, name, "may not contain '/' or '%'")]
        : [];
  }
}
