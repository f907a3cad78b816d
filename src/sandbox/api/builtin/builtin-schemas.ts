import type { Schema } from '../schema.ts';
import { parseSchemaTable } from '../schema-table.ts';
import { admissionSchemas } from './schemas/admission-schemas.ts';
import { appsSchemas } from './schemas/apps-schemas.ts';
import { containerSchemas } from './schemas/container-schemas.ts';
import { crdSchemas } from './schemas/crd-schemas.ts';
import { coreSchemas } from './schemas/core-schemas.ts';
import { metaSchemas } from './schemas/meta-schemas.ts';
import { networkSchemas } from './schemas/network-schemas.ts';
import { podSchemas } from './schemas/pod-schemas.ts';
import { supportSchemas } from './schemas/support-schemas.ts';
import { volumeSchemas } from './schemas/volume-schemas.ts';

const prefixes = {
  core: 'io.k8s.api.core.v1',
  meta: 'io.k8s.apimachinery.pkg.apis.meta.v1',
  apps: 'io.k8s.api.apps.v1',
  batch: 'io.k8s.api.batch.v1',
  policy: 'io.k8s.api.policy.v1',
  net: 'io.k8s.api.networking.v1',
  disc: 'io.k8s.api.discovery.v1',
  coord: 'io.k8s.api.coordination.v1',
  events: 'io.k8s.api.events.v1',
  rbac: 'io.k8s.api.rbac.v1',
  authz: 'io.k8s.api.authorization.v1',
  authn: 'io.k8s.api.authentication.v1',
  apiext: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  autos: 'io.k8s.api.autoscaling.v1',
  admreg: 'io.k8s.api.admissionregistration.v1',
};

const messageSchema = parseSchemaTable(
  [
    metaSchemas,
    podSchemas,
    volumeSchemas,
    containerSchemas,
    coreSchemas,
    appsSchemas,
    networkSchemas,
    supportSchemas,
    crdSchemas,
    admissionSchemas,
  ],
  prefixes,
);

/** The schema of a message of the tables, such as `meta.DeleteOptions`. */
export function builtinMessage(message: string): Schema {
  return messageSchema(message);
}

/** The schema of a built-in kind by its message (`net.Ingress`), with the two fields that every object begins with. */
export function builtinSchema(message: string): Schema {
  const schema = messageSchema(message);
  return {
    ...schema,
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this representation of the object.' },
      kind: { type: 'string', description: 'Kind of the object, CamelCase.' },
      ...schema.properties,
    },
  };
}
