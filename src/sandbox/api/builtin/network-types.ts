import type { ApiObject } from '../api-object.ts';
import { defineType, fieldColumn, selectable } from '../define-type.ts';
import { cellText, getIn, isRecord, listOf, textOf } from '../json.ts';
import type { ResourceType } from '../resource-type.ts';
import { builtinSchema } from './builtin-schemas.ts';
import { validateIngress, validateIngressClass } from '../rules/ingress-rules.ts';
import { validateEndpointSlice } from '../rules/service-validation.ts';
import { selectorText } from './selector-text.ts';

const networking = { group: 'networking.k8s.io', version: 'v1' };
const shown = 3;

/** Ingress, IngressClass, NetworkPolicy and EndpointSlice. */
export function networkTypes(): readonly ResourceType[] {
  return [
    defineType({
      ...networking,
      plural: 'ingresses',
      kind: 'Ingress',
      schema: builtinSchema('net.Ingress'),
      namespaced: true,
      shortNames: ['ing'],
      status: true,
      generation: true,
      columns: [
        {
          name: 'Class',
          type: 'string',
          cell: (object) => getIn(object, ['spec', 'ingressClassName']) ?? '<none>',
        },
        { name: 'Hosts', type: 'string', cell: hosts },
        { name: 'Address', type: 'string', cell: address },
        {
          name: 'Ports',
          type: 'string',
          cell: (object) => (listOf(getIn(object, ['spec', 'tls'])).length > 0 ? '80, 443' : '80'),
        },
      ],
      validate: validateIngress,
      setDefaults: (object) => ('status' in object ? object : { ...object, status: { loadBalancer: {} } }),
    }),
    defineType({
      ...networking,
      plural: 'ingressclasses',
      validate: validateIngressClass,
      kind: 'IngressClass',
      schema: builtinSchema('net.IngressClass'),
      namespaced: false,
      generation: true,
      columns: [
        fieldColumn('Controller', 'spec.controller'),
        { name: 'Parameters', type: 'string', cell: parameters },
      ],
    }),
    defineType({
      ...networking,
      plural: 'networkpolicies',
      kind: 'NetworkPolicy',
      schema: builtinSchema('net.NetworkPolicy'),
      namespaced: true,
      shortNames: ['netpol'],
      generation: true,
      columns: [
        {
          name: 'Pod-Selector',
          type: 'string',
          cell: (object) => selectorText(getIn(object, ['spec', 'podSelector'])),
        },
      ],
    }),
    defineType({
      group: 'discovery.k8s.io',
      version: 'v1',
      plural: 'endpointslices',
      kind: 'EndpointSlice',
      schema: builtinSchema('disc.EndpointSlice'),
      namespaced: true,
      generation: true,
      columns: [
        fieldColumn('AddressType', 'addressType'),
        { name: 'Ports', type: 'string', cell: slicePorts },
        { name: 'Endpoints', type: 'string', cell: sliceAddresses },
      ],
      selectableFields: selectable('addressType'),
      setDefaults: sliceDefaults,
      validate: validateEndpointSlice,
    }),
  ];
}

function hosts(object: ApiObject): string {
  const names = listOf(getIn(object, ['spec', 'rules'])).map((rule) => textOf(getIn(rule, ['host'])) || '*');
  if (names.length === 0) return '*';
  const more = names.length > shown ? ` + ${names.length - shown} more...` : '';
  return `${names.slice(0, shown).join(',')}${more}`;
}

function address(object: ApiObject): string {
  return listOf(getIn(object, ['status', 'loadBalancer', 'ingress']))
    .map((item) => textOf(getIn(item, ['ip'])) || textOf(getIn(item, ['hostname'])))
    .filter((text) => text !== '')
    .join(',');
}

function parameters(object: ApiObject): string {
  const reference = getIn(object, ['spec', 'parameters']);
  if (!isRecord(reference)) return '<none>';
  const group = textOf(reference['apiGroup']);
  return `${textOf(reference['kind'])}${group === '' ? '' : `.${group}`}/${textOf(reference['name'])}`;
}

function slicePorts(slice: ApiObject): string {
  const ports = listOf(slice['ports']).map((port) => cellText(getIn(port, ['port'])) || '*');
  return ports.length === 0 ? '<unset>' : shorten(ports);
}

function sliceAddresses(slice: ApiObject): string {
  const addresses = listOf(slice['endpoints']).flatMap((endpoint) =>
    listOf(getIn(endpoint, ['addresses'])).map(String),
  );
  return addresses.length === 0 ? '<unset>' : shorten(addresses);
}

function shorten(texts: readonly string[]): string {
  return texts.length <= shown
    ? texts.join(',')
    : `${texts.slice(0, shown).join(',')} + ${texts.length - shown} more...`;
}

function sliceDefaults(slice: ApiObject): ApiObject {
  const { ports } = slice;
  if (!Array.isArray(ports)) return slice;
  const complete = ports.map((port: unknown) =>
    isRecord(port) ? { name: '', protocol: 'TCP', ...port } : port,
  );
  return { ...slice, ports: complete };
}
