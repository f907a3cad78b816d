import { errorMessage } from '../../lib/error-message.ts';
import { parseLabelSelector as parse, type Labels } from '../../lib/label-selector.ts';
import { apiError } from './api-status.ts';

export type LabelTest = (labels: Labels | undefined) => boolean;

/** A label selector as a query carries it. Empty selects everything; a malformed one is a 400. */
export function parseLabelSelector(text: string): LabelTest {
  try {
    const selector = parse(text, 'labelSelector');
    return (labels) => selector.matches(labels);
  } catch (error) {
    throw apiError(400, `unable to parse requirement: ${errorMessage(error)}`);
  }
}

/** The selector of a Deployment and its like: `matchLabels` and `matchExpressions`, as text for `status.selector`. */
export function formatMatchLabels(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`)
    .join(',');
}
