import type { KubeObject } from '../../src/api/kube-object.ts';
import type { TemplateConfig } from '../../src/api/template-config.ts';
import { createGraph } from '../../src/collections/create-graph.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { valuesOf } from '../../src/lib/ordered-map.ts';
import { formatOwner } from '../../src/lib/owner.ts';
import type { HttpContent } from '../../src/protocol/http-content.ts';
import { createRenderer } from '../../src/render/create-renderer.ts';
import { exampleData } from './example-data.ts';

/** A template to run over the example data. */
export interface Example {
  readonly template: string;
  readonly snippets?: Readonly<Record<string, string>> | undefined;
  /** Other fields of the configuration. */
  readonly config?: Partial<TemplateConfig>;
}

/** What it printed and declared: the files that are not empty by path, and the rest as lines. */
export interface ExampleOutcome {
  readonly files: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
  /** Objects, status patches and events, as JSON. */
  readonly declared: readonly string[];
}

const absent: HttpContent = { kind: 'failed', reason: 'FetchFailed', message: 'there is no such page' };

/** Renders as the controller does, from scratch. Throws what is wrong with the template. */
export function runExample({ template, snippets = {}, config = {} }: Example): ExampleOutcome {
  const graph = createGraph({ checkPurity: { seed: 1 } });
  const widgets = graph.source<KubeObject>('widgets');
  const services = graph.source<KubeObject>('services');
  const contents = graph.source<HttpContent>('http');
  const pods = graph.source<unknown>('pods');
  const renderer = createRenderer({
    graph,
    config: {
      ...loadConfig([{ name: 'example', text: 'haproxyConfig: {template: x}' }]),
      haproxyConfig: { template },
      templateSnippets: Object.fromEntries(
        Object.entries(snippets).map(([name, text]) => [name, { template: text, overrides: false }]),
      ),
      templatingSettings: { engine: 'handlebars', extraContext: exampleData.extraContext },
      watchedResources: {
        widgets: { apiVersion: 'example.com/v1', resources: 'widgets' },
        services: { apiVersion: 'v1', resources: 'services' },
      },
      ...config,
    },
    resources: { widgets, services },
    collections: {},
    http: { contents, want: ({ url }) => url, absent },
    pods,
  });
  const { widget, service, http } = exampleData;
  widgets.set('web/gadget', widget);
  services.set('web/shop', service);
  pods.set('haptic/haproxy-0', { name: 'haproxy-0', namespace: 'haptic', address: '10.0.0.9' });
  for (const [url, text] of Object.entries(http)) contents.set(url, { kind: 'content', text, digest: url });
  graph.advance();
  const bundle = renderer.bundle();
  const files = [...valuesOf(bundle.plan.files)].map(
    (file) => [file.path, Buffer.concat(file.content()).toString()] as const,
  );
  return {
    files: Object.fromEntries(files.filter(([, text]) => text.trim() !== '')),
    problems: bundle.problems.map(
      ({ severity, reason, owner, field, message }) =>
        `${severity} ${reason}, ${formatOwner(owner)}, ${field}: ${message}`,
    ),
    declared: [
      ...(bundle.resources ? valuesOf(bundle.resources) : []),
      ...(bundle.statusPatches ? valuesOf(bundle.statusPatches) : []),
      ...(bundle.events ? valuesOf(bundle.events) : []),
    ].map(({ owner, place: _place, ...said }) => JSON.stringify({ ...said, owner: formatOwner(owner) })),
  };
}
