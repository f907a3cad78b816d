import { publishedSchemas } from '../schema/published-schemas.ts';
import { templateConfigStatusSchema } from '../schema/template-config-status-schema.ts';
import { templateLibrarySchema } from '../schema/template-library-schema.ts';
import type { CustomResource, PrinterColumn } from './custom-resource.ts';
import { objectSchemas } from './object-schemas.ts';

const pathColumn: PrinterColumn = {
  name: 'Path',
  type: 'string',
  jsonPath: '.spec.path',
  description: 'Where it lies in the HAProxy pods.',
};

/** Every kind of object of this project. */
export const customResources: readonly CustomResource[] = [
  {
    kind: 'HAProxyTemplateConfig',
    plural: 'haproxytemplateconfigs',
    singular: 'haproxytemplateconfig',
    shortNames: ['htplcfg', 'haptpl'],
    description:
      'A configuration of HAPTIC: which objects it watches, and the templates that make the configuration of HAProxy from them.',
    columns: [
      {
        name: 'Status',
        type: 'string',
        jsonPath: '.status.validationStatus',
        description: 'Whether it is at work.',
      },
      {
        name: 'Reason',
        type: 'string',
        jsonPath: '.status.conditions[?(@.type=="Validated")].reason',
        description: 'Why.',
        wide: true,
      },
      {
        name: 'Message',
        type: 'string',
        jsonPath: '.status.validationMessage',
        description: 'What is wrong.',
        wide: true,
      },
    ],
    spec: objectSchemas.templateConfig,
    status: templateConfigStatusSchema,
  },
  {
    kind: 'HAProxyTemplateLibrary',
    plural: 'haproxytemplatelibraries',
    singular: 'haproxytemplatelibrary',
    shortNames: ['htpllib'],
    description: 'Templates that configurations build on, by their libraryRefs.',
    columns: [
      {
        name: 'Revision',
        type: 'string',
        jsonPath: '.spec.revision',
        description: 'What configurations ask for.',
      },
    ],
    spec: objectSchemas.templateLibrary,
    status: templateLibrarySchema.status,
  },
  {
    kind: 'HAProxyCfg',
    plural: 'haproxycfgs',
    singular: 'haproxycfg',
    shortNames: ['hpcfg'],
    description: 'A rendered haproxy.cfg, to be read. The controller writes it.',
    columns: [
      { name: 'Checksum', type: 'string', jsonPath: '.spec.checksum', description: 'Of its text.' },
      {
        name: 'Size',
        type: 'integer',
        jsonPath: '.status.metadata.totalSize',
        description: 'Bytes of all files of the render.',
      },
    ],
    spec: publishedSchemas.config,
    status: publishedSchemas.configStatus,
  },
  {
    kind: 'HAProxyMapFile',
    plural: 'haproxymapfiles',
    singular: 'haproxymapfile',
    shortNames: ['hpmap'],
    description: 'A rendered map file, to be read. The controller writes it.',
    columns: [
      { name: 'Map Name', type: 'string', jsonPath: '.spec.mapName', description: 'Its name.' },
      pathColumn,
    ],
    spec: publishedSchemas.map,
    status: publishedSchemas.fileStatus,
  },
  {
    kind: 'HAProxyGeneralFile',
    plural: 'haproxygeneralfiles',
    singular: 'haproxygeneralfile',
    shortNames: ['hpgf'],
    description: 'A rendered file that is neither map nor crt-list, to be read. The controller writes it.',
    columns: [
      { name: 'File Name', type: 'string', jsonPath: '.spec.fileName', description: 'Its name.' },
      pathColumn,
    ],
    spec: publishedSchemas.general,
    status: publishedSchemas.fileStatus,
  },
  {
    kind: 'HAProxyCRTListFile',
    plural: 'haproxycrtlistfiles',
    singular: 'haproxycrtlistfile',
    shortNames: ['hpcl'],
    description: 'A rendered crt-list, to be read. The controller writes it.',
    columns: [
      { name: 'List Name', type: 'string', jsonPath: '.spec.listName', description: 'Its name.' },
      pathColumn,
    ],
    spec: publishedSchemas.crtList,
    status: publishedSchemas.fileStatus,
  },
];
