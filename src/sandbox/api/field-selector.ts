import type { ApiObject } from './api-object.ts';
import { apiError } from './api-status.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';

export interface FieldTest {
  readonly test: (object: ApiObject) => boolean;
  /** The name asked for by `metadata.name=…`, so that a list of one need not look at all. */
  readonly name: string | undefined;
}

const selectAll: FieldTest = { test: () => true, name: undefined };

/**
 * A field selector of the kind's supported fields (`metadata.name=a,status.phase!=Running`). A field the kind does not
 * support, or a malformed selector, is a 400, as with kube-apiserver.
 */
export function parseFieldSelector(text: string, type: ResourceType): FieldTest {
  if (text.trim() === '') return selectAll;
  const tests: ((object: ApiObject) => boolean)[] = [];
  let name: string | undefined;
  for (const part of text.split(',')) {
    const match = /^\s*([A-Za-z0-9_.[\]"-]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(part);
    if (match === null) throw apiError(400, `invalid selector: '${part}'; can't understand '${part}'`);
    const [, field = '', operator, value = ''] = match;
    const read = readerOf(field, type);
    if (operator === '!=') tests.push((object) => read(object) !== value);
    else tests.push((object) => read(object) === value);
    if (field === 'metadata.name' && operator !== '!=') name = value;
  }
  return { test: (object) => tests.every((test) => test(object)), name };
}

function readerOf(field: string, type: ResourceType): (object: ApiObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name;
  if (field === 'metadata.namespace') return (object) => object.metadata.namespace ?? '';
  const own = Object.hasOwn(type.selectableFields, field) ? type.selectableFields[field] : undefined;
  if (own !== undefined) return own;
  throw apiError(
    400,
    `Unable to find "${apiVersionOf(type)}, Resource=${type.plural}" that match label selector "", ` +
      `field selector "${field}": field label not supported: ${field}`,
  );
}
