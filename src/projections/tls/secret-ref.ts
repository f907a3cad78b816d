/** A Secret by name. */
export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
}
