/** A render that is kept to be delivered again: a HAProxyCfg, and what is known of it without reading it. */
export interface RetainedConfig {
  /** Of the HAProxyCfg. */
  readonly name: string;
  readonly uid: string;
  readonly planID: string;
  /** `sha256:<hex>` of its haproxy.cfg. */
  readonly checksum: string;
}
