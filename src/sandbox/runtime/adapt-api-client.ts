import { firstValueFrom } from 'rxjs';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ApiClient, ResourceId } from '../api/api-client.ts';
import { apiError, statusOf } from '../api/api-status.ts';
import type { ObjectChange, ObjectClient, ObjectRef } from './object-client.ts';

/** The API without HTTP as the stand-ins use it: promises, and objects named by kind. */
export function adaptApiClient(
  client: ApiClient,
  onError: (what: string, error: unknown) => void,
): ObjectClient {
  const resourceOf = (apiVersion: string, kind: string): ResourceId => {
    const resource = client.resourceOf(apiVersion, kind);
    if (resource === undefined)
      throw apiError(404, `no matches for kind "${kind}" in version "${apiVersion}"`);
    return resource;
  };
  const orMissing = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (statusOf(error).code === 404) return undefined;
      throw error;
    }
  };
  return {
    get: (ref) =>
      orMissing(() => firstValueFrom(client.get<KubeObject>(resourceOf(ref.apiVersion, ref.kind), ref))),
    create: (object) => firstValueFrom(client.create(object)),
    merge: (ref: ObjectRef, patch, subresource) =>
      firstValueFrom(
        client.patch<KubeObject>(resourceOf(ref.apiVersion, ref.kind), ref, patch, {
          type: 'merge',
          ...(subresource === undefined ? {} : { subresource }),
        }),
      ),
    remove: async (ref, options = {}) => {
      await orMissing(() =>
        firstValueFrom(client.delete(resourceOf(ref.apiVersion, ref.kind), ref, options)),
      );
    },
    apply: (object, fieldManager) => firstValueFrom(client.apply(object, { fieldManager })),
    watch: <T extends KubeObject>(
      apiVersion: string,
      kind: string,
      listener: (change: ObjectChange<T>) => void,
    ) => {
      const subscription = client.watch<T>(resourceOf(apiVersion, kind)).subscribe({
        next: (event) => {
          if (event.type !== 'SYNCED') listener(event);
        },
        error: (error: unknown) => onError(`watch of ${kind}`, error),
      });
      return () => subscription.unsubscribe();
    },
  };
}
