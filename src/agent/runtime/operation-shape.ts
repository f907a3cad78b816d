import type { Operation } from '../../protocol/operation.ts';
import { operationValidators } from './operation-validators.ts';

/** What is wrong with the fields of an operation that came over the wire; undefined when they are all there and of their types. */
export function operationShapeProblem(operation: Operation): string | undefined {
  const validate = Object.hasOwn(operationValidators, operation.kind)
    ? operationValidators[operation.kind]
    : undefined;
  if (validate === undefined) return 'the agent does not know it';
  if (validate(operation)) return undefined;
  const error = validate.errors?.[0];
  return `${error?.instancePath.slice(1) ?? ''} ${error?.message ?? 'is not valid'}`.trim();
}
