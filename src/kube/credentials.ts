/** What one connection is made with. TLS material changes rarely, headers (a rotated token) may change with every request. */
export interface Connection {
  /** `https://host:port/optional/prefix`, without a trailing slash. */
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly skipVerify: boolean;
}

/** Where and as whom to talk to the API server. */
export interface KubeCredentials {
  /** Of the context at the time of loading. */
  readonly server: string;
  /** Of the context or the service account; undefined when neither says. */
  readonly namespace: string | undefined;
  /** Asked before each request; runs exec plugins and re-reads token files as needed. Rejects when that fails. */
  connection(): Promise<Connection>;
  /** Forgets cached tokens and loads the files again: the answer to a 401. */
  rebuild(): void;
}
