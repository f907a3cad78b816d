import { runSlices } from '../lib/run-slices.ts';
import type { ConfigRequest } from './config-request.ts';
import type { Resolution } from './merge-documents.ts';
import { resolveInSlices } from './resolve-in-slices.ts';

/** See {@link resolveInSlices}: all at once, for whoever has nothing else to do. */
export function resolveConfig(request: ConfigRequest): Resolution {
  return runSlices(resolveInSlices(request));
}
