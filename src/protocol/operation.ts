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
  | { readonly kind: 'backend_publish' | 'backend_unpublish' | 'backend_del'; readonly backend: string }
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
  | { readonly kind: 'server_disable' | 'server_del'; readonly backend: string; readonly server: string }
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
  | { readonly kind: 'map_replace'; readonly path: string };

export type OperationKind = Operation['kind'];
