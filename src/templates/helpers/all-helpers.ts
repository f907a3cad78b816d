import type { HelperTable } from '../helper-spec.ts';
import { backendHelpers } from './backend.ts';
import { certificateHelpers } from './certificates.ts';
import { contextHelpers } from './contexts.ts';
import { dataHelpers } from './data.ts';
import { effectHelpers } from './effects.ts';
import { flowHelpers } from './flow.ts';
import { httpHelpers } from './http.ts';
import { logicHelpers } from './logic.ts';
import { lookupHelpers } from './lookups.ts';
import { textHelpers } from './text.ts';

/** Every helper but `forEach` and `snippets`, which need the templates around them. */
export const allHelpers: HelperTable = {
  ...flowHelpers,
  ...logicHelpers,
  ...dataHelpers,
  ...textHelpers,
  ...contextHelpers,
  ...lookupHelpers,
  ...httpHelpers,
  ...effectHelpers,
  ...backendHelpers,
  ...certificateHelpers,
};
