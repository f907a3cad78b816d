import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { PolicyShape } from '../policies/policy-shape.ts';
import type { ExternalNames } from './external-names.ts';
import { parseExternalName } from './parse-external-name.ts';

const affinity: PolicyShape = { affinity: 'client-address' };
const external: PolicyShape = { external: true };

/**
 * What a Service by its own fields asks of the profile of its backends: `affinity`, that a client stays with one server; `external`, that its server is found by
 * name when requests come. `undefined`: nothing.
 */
export function serviceShape(service: KubeObject, externalNames: ExternalNames): PolicyShape | undefined {
  const spec = service['spec'];
  if (!isRecord(spec)) return undefined;
  if (spec['type'] !== 'ExternalName') return spec['sessionAffinity'] === 'ClientIP' ? affinity : undefined;
  const target = parseExternalName(spec['externalName'], externalNames);
  return 'value' in target && 'host' in target.value ? external : undefined;
}
