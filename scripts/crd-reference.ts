import { apiGroup } from '../src/api/api-group.ts';
import type { CustomResource } from '../src/api/crd/custom-resource.ts';
import { customResources } from '../src/api/crd/custom-resources.ts';
import type { StructuralSchema } from '../src/api/structural-schema.ts';

/** docs/crd-reference.md: every field of every kind, as `kubectl explain` says it. */
export function crdReference(): string {
  return `# Objects of HAPTIC

<!-- Generated from src/api by ./dev generate. -->
<!-- prettier-ignore-start -->

All are of \`${apiGroup.apiVersion}\`. On a cluster, \`kubectl explain\` says the same: \`kubectl explain htplcfg.spec.watchedResources\`.

| kind | short names | what it is |
| --- | --- | --- |
${customResources.map(({ kind, shortNames, description }) => `| [${kind}](#${kind.toLowerCase()}) | ${shortNames.map(code).join(', ')} | ${cell(description)} |`).join('\n')}

Install or update them with \`haptic apply-crds\`, or with \`kubectl apply --server-side -f charts/haptic/crds\`. Use \`--server-side\` for your configurations, too: without it, kubectl
keeps a copy of the object in an annotation, which the API takes up to 256 KiB only.

## A configuration

One object says what is watched and how it is printed. This one needs no library:

\`\`\`yaml
${alone}\`\`\`

This one builds on a library, replaces one of its snippets and says so, narrows a kind that the library watches, and hangs a line of its own into
an extension point:

\`\`\`yaml
${built}\`\`\`

Libraries are laid over each other in the order of \`libraryRefs\`, and the object itself comes last. Objects are merged field by field; texts and lists are
replaced. A library is taken only in the revision that is asked for: as long as it is not there, or has another, the configuration at work stays
and the status of the new one says why. Fields that a library has, too, get their defaults after that.

Where a kind is called \`${apiGroup.controllerName}\` (\`spec.controller\` of an IngressClass, \`spec.controllerName\` of a GatewayClass), it is meant for HAPTIC.
${customResources.map(section).join('')}<!-- prettier-ignore-end -->
`;
}

const alone = `apiVersion: ${apiGroup.apiVersion}
kind: HAProxyTemplateConfig
metadata:
  name: hosts
spec:
  watchedResources:
    ingresses:
      apiVersion: networking.k8s.io/v1
      resources: ingresses
  haproxyConfig:
    template: |
      defaults
        mode http
        timeout client 5s
        timeout connect 5s
        timeout server 5s
      frontend http
        bind :8080
      {{#forEach resources.ingresses as |ingress|}}
        http-request return status 200 if { hdr(host) -i {{ingress.metadata.name}}.example.com }
      {{/forEach}}
        http-request return status 404
`;

const built = `apiVersion: ${apiGroup.apiVersion}
kind: HAProxyTemplateLibrary
metadata:
  name: house
spec:
  revision: '7'
  watchedResources:
    ingresses:
      apiVersion: networking.k8s.io/v1
      resources: ingresses
  templateSnippets:
    greeting:
      template: |
        http-request return status 200 content-type text/plain string hello
  haproxyConfig:
    template: |
      defaults
        mode http
        timeout client 5s
        timeout connect 5s
        timeout server 5s
      frontend http
        bind :8080
      {{snippets "frontend-filters-*"}}
      {{> greeting}}
---
apiVersion: ${apiGroup.apiVersion}
kind: HAProxyTemplateConfig
metadata:
  name: shop
spec:
  libraryRefs:
    - name: house
      revision: '7'
  watchedResources:
    ingresses:
      labelSelector: team in (shop, web)
  templateSnippets:
    greeting:
      overrides: true
      template: |
        http-request return status 200 content-type text/plain string welcome
    frontend-filters-300-trace:
      template: |
        http-request set-header x-trace %[uuid()]
`;

function section({ kind, plural, shortNames, description, columns, spec, status }: CustomResource): string {
  return `
## ${kind}

${description} \`${plural}.${apiGroup.group}\`, short: ${shortNames.map(code).join(', ')}. \`kubectl get\` prints ${[
    ...columns.map(({ name, wide }) => (wide === true ? `${name} (with \`-o wide\`)` : name)),
    'Age',
  ].join(', ')}.

| field | type | |
| --- | --- | --- |
${[...rows('spec', spec, new Set(['spec'])), ...rows('status', status, new Set())].join('\n')}
${rules(spec)}`;
}

function rows(path: string, schema: StructuralSchema, required: ReadonlySet<string>): readonly string[] {
  const { properties = {}, additionalProperties, items } = schema;
  const need = required.has(path) ? '**Required.** ' : '';
  const own = `| ${code(path)} | ${typeOf(schema)} | ${need}${cell(schema.description ?? '')} |`;
  const inner = (at: string, value: StructuralSchema): readonly string[] =>
    Object.entries(value.properties ?? {}).flatMap(([name, property]) =>
      rows(`${at}.${name}`, property, new Set((value.required ?? []).map((key) => `${at}.${key}`))),
    );
  if (additionalProperties !== undefined)
    return [
      own,
      ...inner(`${path}.<name>`, additionalProperties),
      ...nested(`${path}.<name>`, additionalProperties),
    ];
  if (items !== undefined) return [own, ...inner(`${path}[]`, items)];
  return Object.keys(properties).length === 0 ? [own] : [own, ...inner(path, schema)];
}

/** Of a map of lists or of maps, what these hold. */
function nested(path: string, { items }: StructuralSchema): readonly string[] {
  return items === undefined ? [] : rows(`${path}[]`, items, new Set());
}

function typeOf(schema: StructuralSchema): string {
  const { type, items, additionalProperties, properties } = schema;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => code(value === '' ? '""' : value)).join(', ');
  if (type === 'array') return `list of ${items?.type ?? 'object'}`;
  if (type === 'object' && additionalProperties !== undefined) return `${additionalProperties.type}s by name`;
  if (type === 'object' && properties === undefined) return 'any object';
  return schema.format === 'date-time' ? 'time' : type;
}

/** What stands in the CRD as rules over several fields. */
function rules(schema: StructuralSchema): string {
  const messages = [...new Set(messagesOf(schema))];
  if (messages.length === 0) return '';
  return `\nBesides, the API refuses an object where this does not hold:\n\n${messages.map((message) => `- ${message}`).join('\n')}\n`;
}

function messagesOf(schema: StructuralSchema): readonly string[] {
  const { properties = {}, additionalProperties, items } = schema;
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message }) => message),
    ...[...Object.values(properties), additionalProperties, items].flatMap((inner) =>
      inner === undefined ? [] : messagesOf(inner),
    ),
  ];
}

function code(text: string): string {
  return '`' + text + '`';
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;');
}
