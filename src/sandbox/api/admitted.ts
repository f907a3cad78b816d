import type { ApiContext, WriteOptions } from './api-context.ts';
import type { ApiObject } from './api-object.ts';
import { type AdmittedWrite, callWebhooks, webhooksFor } from './call-webhooks.ts';
import type { ResourceType } from './resource-type.ts';

export interface AdmittedBy {
  readonly context: ApiContext;
  readonly type: ResourceType;
  readonly user: string;
  readonly options: Pick<WriteOptions, 'dryRun' | 'subresource' | 'warn'> & WriteOptions;
}

/** What a write did, or on a dry run would do. */
export interface Written<T> {
  readonly object?: ApiObject;
  readonly oldObject?: ApiObject;
  readonly result: T;
}

/**
 * Carries out a write after the validating webhooks were asked about it: it is tried first, and what would come of it is what they are
 * shown. Where nobody wants to be asked, it is done at once. Parts of objects (`status`, `scale`) are nobody's business.
 */
export async function admitted<T>(
  { context, type, user, options }: AdmittedBy,
  operation: AdmittedWrite['operation'],
  write: (options: WriteOptions) => Written<T>,
): Promise<T> {
  const asked = [operation, ...(operation === 'UPDATE' ? (['CREATE'] as const) : [])].flatMap((one) =>
    webhooksFor(context, type, one),
  );
  if (asked.length > 0 && options.subresource === undefined) {
    const { warn: _, ...silent } = options;
    const { object, oldObject } = write({ ...silent, dryRun: true });
    const isCreate = operation === 'UPDATE' && oldObject === undefined;
    await callWebhooks(
      context,
      [...new Set(asked)],
      {
        operation: isCreate ? 'CREATE' : operation,
        type,
        user,
        dryRun: options.dryRun === true,
        ...(object === undefined ? {} : { object }),
        ...(oldObject === undefined ? {} : { oldObject }),
      },
      (text) => options.warn?.(text),
    );
  }
  return write(options).result;
}
