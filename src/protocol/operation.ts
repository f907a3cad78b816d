import type { Keyword } from './plan.ts';

/** One runtime change, in the words of the agent protocol. The agent turns each into HAProxy runtime commands and checks the answers. */
export type Operation =
  | {
      readonly kind: 'backend_add';
      readonly backend: string;
      readonly profile: string;
      readonly mode: 'http' | 'tcp';
      readonly guid?: string;
    }
  | { readonly kind: 'backend_publish' | 'backend_unpublish'; readonly backend: string }
  | {
      readonly kind: 'backend_del';
      readonly backend: string;
      /** The backend as a `backend_add` would make it; one that equals it while the deletion waits revives it. */
      readonly profile?: string;
      readonly mode?: 'http' | 'tcp';
      readonly guid?: string;
    }
  | { readonly kind: 'wait_be_removable'; readonly backend: string; readonly timeout_ms: number }
  | {
      readonly kind: 'server_add';
      readonly backend: string;
      readonly server: string;
      readonly address: string;
      readonly port: number;
      readonly keywords: readonly Keyword[];
    }
  | {
      readonly kind: 'server_enable';
      readonly backend: string;
      readonly server: string;
      readonly health?: boolean;
    }
  | { readonly kind: 'server_disable'; readonly backend: string; readonly server: string }
  | {
      readonly kind: 'server_del';
      readonly backend: string;
      readonly server: string;
      /**
       * The server as it was added or configured, in the words of a `server_add`. While its deletion waits, a `server_add` of
       * that name with equal keywords revives it; without them it is deleted or HAProxy is reloaded.
       */
      readonly keywords?: readonly Keyword[];
    }
  | {
      readonly kind: 'server_set_addr';
      readonly backend: string;
      readonly server: string;
      readonly address: string;
      readonly port: number;
    }
  | {
      readonly kind: 'server_set_weight';
      readonly backend: string;
      readonly server: string;
      readonly weight: number;
    }
  | {
      readonly kind: 'server_set_state';
      readonly backend: string;
      readonly server: string;
      readonly state: 'ready' | 'maint' | 'drain';
    }
  | {
      readonly kind: 'wait_srv_removable';
      readonly backend: string;
      readonly server: string;
      readonly timeout_ms: number;
    }
  | {
      readonly kind: 'map_add' | 'map_set';
      readonly path: string;
      readonly key: string;
      readonly value: string;
    }
  | { readonly kind: 'map_del'; readonly path: string; readonly key: string }
  | { readonly kind: 'map_replace'; readonly path: string }
  /** Content of the file `path` for a certificate, CA or CRL store that the worker has (`_set`) or has not (`_new`) loaded. */
  | { readonly kind: 'cert_set' | 'cert_new'; readonly path: string }
  | { readonly kind: 'ca_set' | 'ca_new'; readonly path: string }
  | { readonly kind: 'crl_set' | 'crl_new'; readonly path: string }
  | {
      readonly kind: 'crtlist_add';
      /** The crt-list. */
      readonly path: string;
      readonly cert: string;
      /** Words of the square brackets, e.g. `['alpn', 'h2']`. */
      readonly options: readonly string[];
      readonly sni_filters: readonly string[];
    }
  | {
      readonly kind: 'crtlist_del';
      readonly path: string;
      readonly cert: string;
      /** Line of the crt-list as HAProxy counts it; needed where a certificate stands there more than once. */
      readonly line?: number;
    };

export type OperationKind = Operation['kind'];
