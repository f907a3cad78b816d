import type { ApiObject } from '../api-object.ts';
import type { Cause } from '../api-status.ts';
import { duplicate, invalid, required } from '../field-errors.ts';
import { getIn, isRecord, listOf, textOf } from '../json.ts';
import { validateLabels } from '../validate-metadata.ts';
import { dnsLabelHint, isDnsLabel } from '../validate-names.ts';
import { immutable, isPort } from './common-rules.ts';

/** Replicas, selector and template of a Deployment and its like. */
export function validateWorkload(object: ApiObject, previous: ApiObject | undefined): readonly Cause[] {
  const spec = object['spec'];
  const replicas = getIn(spec, ['replicas']);
  const selector = getIn(spec, ['selector']);
  const labels = getIn(spec, ['template', 'metadata', 'labels']);
  const causes: Cause[] = [...immutable(object, previous, 'spec.selector')];
  if (typeof replicas === 'number' && replicas < 0)
    causes.push(invalid('spec.replicas', replicas, 'must be greater than or equal to 0'));
  if (!isRecord(selector)) causes.push(required('spec.selector'));
  else if (!isRecord(selector['matchLabels']) && !Array.isArray(selector['matchExpressions']))
    causes.push(invalid('spec.selector', selector, 'empty selector is invalid for deployment'));
  else if (!matches(selector['matchLabels'], labels))
    causes.push(
      invalid('spec.template.metadata.labels', labels ?? {}, '`selector` does not match template `labels`'),
    );
  causes.push(...validateLabels(labels, 'spec.template.metadata.labels'));
  return [...causes, ...validatePodSpec(getIn(spec, ['template', 'spec']), 'spec.template.spec')];
}

export function validatePod(object: ApiObject): readonly Cause[] {
  return validatePodSpec(object['spec'], 'spec');
}

function validatePodSpec(spec: unknown, at: string): readonly Cause[] {
  const containers = listOf(getIn(spec, ['containers']));
  if (containers.length === 0) return [required(`${at}.containers`)];
  const names = new Set<string>();
  return containers.flatMap((container, i) => {
    const name = textOf(getIn(container, ['name']));
    const field = `${at}.containers[${i}].name`;
    const causes: Cause[] = [];
    if (name === '') causes.push(required(field));
    else if (!isDnsLabel(name)) causes.push(invalid(field, name, dnsLabelHint));
    else if (names.has(name)) causes.push(duplicate(field, name));
    names.add(name);
    if (textOf(getIn(container, ['image'])) === '') causes.push(required(`${at}.containers[${i}].image`));
    const ports = listOf(getIn(container, ['ports']));
    ports.forEach((port, n) => {
      const number = getIn(port, ['containerPort']);
      if (!isPort(number))
        causes.push(
          invalid(
            `${at}.containers[${i}].ports[${n}].containerPort`,
            number ?? 0,
            'must be between 1 and 65535, inclusive',
          ),
        );
    });
    return causes;
  });
}

function matches(selector: unknown, labels: unknown): boolean {
  if (!isRecord(selector)) return true;
  return Object.entries(selector).every(([key, value]) => getIn(labels, [key]) === value);
}
