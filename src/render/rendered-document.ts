import { templateInvalid } from '../templates/template-error.ts';
import type { RenderDocument } from './documents-of.ts';
import type { Document } from './output-of.ts';
import { postProcess } from './post-process.ts';

export type RenderedDocument = RenderDocument & Document;

/** The steps of an output's post-processing are compiled once; what is wrong with one is an error of its template. */
export function withPostProcess(document: RenderDocument): RenderedDocument {
  try {
    return { ...document, postProcess: postProcess(document.postProcessing) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw templateInvalid([{ template: document.template, line: 1, column: 1, message: error.message }]);
  }
}
