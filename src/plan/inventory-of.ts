import { valuesOf } from '../lib/ordered-map.ts';
import type { FileKind, Plan } from '../protocol/plan.ts';
import type { RuntimeInventory } from '../protocol/wire.ts';

/** What a worker started on this plan has loaded, assuming that it refers to every file: stands in where no pod can be asked. */
export function inventoryOf(plan: Plan): RuntimeInventory {
  const files = [...valuesOf(plan.files)];
  const ofKind = (kind: FileKind) => files.filter((file) => file.kind === kind).map((file) => file.path);
  return {
    generation: 0,
    maps: ofKind('map'),
    certs: ofKind('cert'),
    ca_files: ofKind('ca'),
    crl_files: ofKind('crl'),
    crt_lists: ofKind('crtlist'),
  };
}
