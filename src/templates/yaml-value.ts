import { isMap, isPair, isScalar, isSeq, type Document, type ParsedNode } from 'yaml';
import { errorMessage } from '../lib/error-message.ts';
import { isNestedDeeper } from '../lib/is-nested-deeper.ts';
import { maxNesting } from '../lib/max-nesting.ts';

/**
 * The value of a YAML document without aliases: a few of them can stand for more than any memory has. Throws a RangeError, for a key
 * that a map has twice as well: parse with `uniqueKeys: false`, since the parser compares each key with each other one.
 */
export function yamlValue(document: Document.Parsed): unknown {
  const [error] = document.errors;
  // A parser by recursion.
  if (error?.message.includes('call stack') === true) throw new RangeError('this YAML is nested too deep');
  if (error !== undefined)
    throw new RangeError(`this is not YAML: ${error.message} (at character ${error.pos[0] + 1})`);
  refuseKeysTwice(document.contents);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw new RangeError(`this YAML cannot be taken: ${errorMessage(cause)}`, { cause });
  }
  if (isNestedDeeper(value, maxNesting))
    throw new RangeError(`this YAML is nested more than ${maxNesting} deep`);
  return value;
}

/** In linear time, and without recursion. */
function refuseKeysTwice(root: ParsedNode | null): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (isPair(node)) open.push(node.key, node.value);
    else if (isSeq(node)) for (const item of node.items) open.push(item);
    else if (isMap(node)) {
      const keys = new Set<unknown>();
      for (const pair of node.items) {
        open.push(pair);
        const { key } = pair;
        if (!isScalar(key)) continue;
        if (keys.has(key.value))
          throw new RangeError(
            `this is not YAML: Map keys must be unique (at character ${(key.range?.[0] ?? 0) + 1})`,
          );
        keys.add(key.value);
      }
    }
  }
}
