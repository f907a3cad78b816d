import { apiError } from './api-status.ts';

/** In which form the client wants objects: as they are, as table rows, or their metadata only. */
export interface MediaType {
  readonly as: 'object' | 'table' | 'partial';
  readonly yaml: boolean;
}

/** The first form of an `Accept` header that this API can give; a 406 when there is none. */
export function negotiate(accept: string | undefined): MediaType {
  if (accept === undefined || accept === '') return { as: 'object', yaml: false };
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const json = type === 'application/json' || type === '*/*' || type === 'application/*';
    if (!json && type !== 'application/yaml') continue;
    const as = parameters.find((part) => part.startsWith('as='))?.slice(3);
    const yaml = type === 'application/yaml';
    const version = parameters.find((part) => part.startsWith('v='))?.slice(2);
    if (as === undefined) return { as: 'object', yaml };
    if (version !== undefined && version !== 'v1') continue;
    if (as === 'Table') return { as: 'table', yaml };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return { as: 'partial', yaml };
  }
  if (accept.includes('application/vnd.kubernetes.protobuf')) return { as: 'object', yaml: false };
  throw apiError(406, 'only the following media types are accepted: application/json, application/yaml');
}
