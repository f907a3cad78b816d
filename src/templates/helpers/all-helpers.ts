import type { HelperTable } from '../helper-spec.ts';
import { backendHelpers } from './backend.ts';
import { certificateHelpers } from './certificates.ts';
import { contextHelpers } from './contexts.ts';
import { dataHelpers } from './data.ts';
import { declarationHelpers } from './declarations.ts';
import { effectHelpers } from './effects.ts';
import { encodingHelpers } from './encodings.ts';
import { flowHelpers } from './flow.ts';
import { httpHelpers } from './http.ts';
import { listHelpers } from './lists.ts';
import { logicHelpers } from './logic.ts';
import { lookupHelpers } from './lookups.ts';
import { networkHelpers } from './networks.ts';
import { numberHelpers } from './numbers.ts';
import { pathHelpers } from './paths.ts';
import { regexHelpers } from './regexes.ts';
import { textHelpers } from './text.ts';
import { timeHelpers } from './times.ts';

/** A chapter of the reference page. */
export interface HelperGroup {
  readonly title: string;
  readonly helpers: HelperTable;
}

/** Every helper but those of `structureHelpers`, which need the templates around them. */
export const helperGroups: readonly HelperGroup[] = [
  { title: 'Conditions and loops', helpers: flowHelpers },
  { title: 'Print safely', helpers: contextHelpers },
  { title: 'Look at other objects', helpers: { ...lookupHelpers, ...httpHelpers } },
  {
    title: 'Declare',
    helpers: { ...effectHelpers, ...backendHelpers, ...certificateHelpers, ...pathHelpers },
  },
  { title: 'Tell others', helpers: declarationHelpers },
  { title: 'Compare', helpers: logicHelpers },
  { title: 'Objects', helpers: dataHelpers },
  { title: 'Lists', helpers: listHelpers },
  { title: 'Text', helpers: textHelpers },
  { title: 'Regular expressions', helpers: regexHelpers },
  { title: 'Numbers', helpers: numberHelpers },
  { title: 'Encodings', helpers: encodingHelpers },
  { title: 'Addresses, versions and certificates', helpers: networkHelpers },
  { title: 'Durations and times', helpers: timeHelpers },
];

export const allHelpers: HelperTable = Object.fromEntries(
  helperGroups.flatMap(({ helpers }) => Object.entries(helpers)),
);
