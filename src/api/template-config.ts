/** The configuration in the field names of HAProxyTemplateConfig.spec (haproxy-haptic.org/v1alpha1), defaults applied. */
export interface TemplateConfig {
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly dataplane: DataplaneConfig;
  readonly templatingSettings: {
    readonly engine: 'handlebars';
    readonly extraContext: Readonly<Record<string, unknown>>;
  };
  readonly watchedResources: Readonly<Record<string, WatchedResource>>;
  readonly templateSnippets: Readonly<Record<string, { readonly template: string }>>;
  readonly haproxyConfig: { readonly template: string };
  readonly maps: Readonly<Record<string, { readonly template: string; readonly ordered?: boolean }>>;
  readonly files: Readonly<Record<string, { readonly template: string; readonly reloadOnPush?: boolean }>>;
  /** Asked about every render besides HAProxy itself. */
  readonly validators: readonly ValidatorConfig[];
}

export interface ValidatorConfig {
  readonly name: string;
  /** Absolute path of the Unix socket on which it listens. */
  readonly socketPath: string;
  /** Paths of rendered files that it judges; `*` stands for any run of characters but `/`. */
  readonly files: readonly string[];
  /** Files that it is sent besides, to judge those. */
  readonly dataFiles: readonly string[];
  readonly timeoutMs: number;
  readonly maxConnections: number;
}

export interface DataplaneConfig {
  readonly port: number;
  readonly mapsDir: string;
  readonly sslCertsDir: string;
  readonly generalStorageDir: string;
  readonly configFile: string;
  /** Durations as Go writes them: `60s`, `2m`. */
  readonly driftPreventionInterval: string;
  /** Longest attempt to bring one pod to a render; `0`: no limit of its own. */
  readonly syncTimeout: string;
  /** Longest attempt that may keep a newer render waiting; a render that not every pod runs by then is overdue. `0`: no limit. */
  readonly deploymentTimeout: string;
}

export interface WatchedResource {
  readonly apiVersion: string;
  /** Plural resource name: `ingresses`. */
  readonly resources: string;
  /** JSONPath expressions whose values form the secondary index of `list`/`single`. Default: metadata.namespace, metadata.name. */
  readonly indexBy?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** True: the kind may be absent from the API. Else the controller is not ready as long as it is; other kinds are served. */
  readonly optional?: boolean;
  /** Duration; `"0"` means none. Default 100ms. */
  readonly debounceInterval?: string;
}
