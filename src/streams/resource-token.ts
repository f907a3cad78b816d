/**
 * What a watched kind says to the pipeline. Never carries objects: those are in the store.
 *
 * - `synced`: the store holds the whole kind (again, after `absent`)
 * - `changed`: the store differs from the one at the former revision
 * - `absent`: the API does not serve the kind; the store is empty
 * - `degraded`: the store is kept as it is, but nothing new arrives; `message` says why
 * - `recovered`: events arrive again
 *
 * A later token stands for all earlier ones: `revision` counts the changes of the store, so dropping tokens loses
 * nothing but the intermediate words, and a kind is degraded until any other token comes.
 */
export interface ResourceToken {
  readonly kind: 'synced' | 'changed' | 'absent' | 'degraded' | 'recovered';
  /** Name of the entry in `watchedResources`. */
  readonly resource: string;
  readonly revision: number;
  readonly message?: string;
}
