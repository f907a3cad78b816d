import { isVersionAtLeast } from '../../lib/is-version-at-least.ts';
import type { OperationKind } from '../../protocol/operation.ts';

/** Operation kinds, by the first HAProxy line that executes them. */
const firstLine: Readonly<Record<OperationKind, string>> = {
  backend_add: '3.4',
  backend_publish: '3.4',
  backend_unpublish: '3.4',
  backend_del: '3.4',
  wait_be_removable: '3.4',
  server_add: '2.6',
  server_enable: '2.6',
  server_disable: '2.6',
  server_del: '2.6',
  server_set_addr: '2.6',
  server_set_weight: '2.6',
  server_set_state: '2.6',
  wait_srv_removable: '2.6',
  map_add: '2.6',
  map_set: '2.6',
  map_del: '2.6',
  map_replace: '2.6',
  cert_set: '2.6',
  cert_new: '2.6',
  // Before 3.2 a certificate whose CA or CRL file was replaced takes no later `commit ssl cert`, though that says "Success!".
  ca_set: '3.2',
  ca_new: '2.6',
  crl_set: '3.2',
  crl_new: '2.6',
  crtlist_add: '2.6',
  crtlist_del: '2.6',
};

/** The kinds of operation that the agent executes on a HAProxy of this line (`3.4`). */
export function executableKinds(version: string): readonly OperationKind[] {
  return kinds.filter((kind) => isVersionAtLeast(version, firstLine[kind]));
}

const kinds = Object.keys(firstLine) as OperationKind[];
