import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { TemplateConfig } from '../../../src/api/template-config.ts';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Graph, GraphOptions, SourceCollection } from '../../../src/collections/types.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Problem } from '../../../src/lib/problem.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { createRenderer, type Renderer } from '../../../src/render/create-renderer.ts';
import type { HttpReads } from '../../../src/render/http-reads.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

/** A graph with collections that a test writes, and a renderer of its templates over them. */
export interface World {
  readonly graph: Graph;
  readonly config: TemplateConfig;
  readonly renderer: Renderer;
  /** `controller.haproxyPods`. */
  readonly pods: SourceCollection<unknown>;
  readonly collections: Readonly<Record<string, SourceCollection<unknown>>>;
  readonly resources: Readonly<Record<string, SourceCollection<KubeObject>>>;
  /** Finishes the turn and renders. */
  readonly render: () => Bundle;
  readonly text: (path?: string) => string;
}

export interface WorldOptions {
  readonly root: string;
  readonly snippets?: Readonly<Record<string, string>>;
  readonly maps?: Readonly<Record<string, { template: string; ordered?: boolean }>>;
  readonly files?: Readonly<Record<string, { template: string; reloadOnPush?: boolean }>>;
  readonly collections?: readonly string[];
  /** Resource name → indexBy. */
  readonly resources?: Readonly<Record<string, readonly string[] | undefined>>;
  readonly constants?: Readonly<Record<string, unknown>>;
  readonly extraContext?: Readonly<Record<string, unknown>>;
  readonly graph?: GraphOptions;
  readonly http?: (graph: Graph) => HttpReads;
  /** Other fields of the configuration. */
  readonly config?: Partial<TemplateConfig>;
  readonly profileClock?: () => number;
}

const defaults = loadConfig([{ name: 'test.yaml', text: 'haproxyConfig: {template: x}' }]);

export function createWorld(options: WorldOptions): World {
  const graph = createGraph(options.graph);
  const collections = Object.fromEntries(
    (options.collections ?? []).map((name) => [name, graph.source<unknown>(name)]),
  );
  const resources = Object.fromEntries(
    Object.keys(options.resources ?? {}).map((name) => [name, graph.source<KubeObject>(`store ${name}`)]),
  );
  const config: TemplateConfig = {
    ...defaults,
    haproxyConfig: { template: options.root },
    templateSnippets: Object.fromEntries(
      Object.entries(options.snippets ?? {}).map(([name, template]) => [name, { template }]),
    ),
    maps: options.maps ?? {},
    files: options.files ?? {},
    watchedResources: Object.fromEntries(
      Object.entries(options.resources ?? {}).map(([name, indexBy]) => [
        name,
        { apiVersion: 'v1', resources: name, ...(indexBy === undefined ? {} : { indexBy }) },
      ]),
    ),
    templatingSettings: { engine: 'handlebars', extraContext: options.extraContext ?? {} },
    ...options.config,
  };
  const { constants = {}, profileClock } = options;
  const pods = graph.source<unknown>('pods');
  const http = options.http?.(graph);
  const renderer = createRenderer({
    graph,
    config,
    resources,
    collections,
    constants,
    pods,
    ...(http && { http }),
    ...(profileClock && { profileClock }),
  });
  const render = (): Bundle => {
    graph.advance();
    return renderer.bundle();
  };
  return {
    graph,
    config,
    renderer,
    pods,
    collections,
    resources,
    render,
    text: (path = 'haproxy.cfg') => filesOf(render())[path] ?? '',
  };
}

/** Every file of a bundle as text, by path. */
export function filesOf(bundle: Bundle): Record<string, string> {
  return Object.fromEntries(
    [...valuesOf(bundle.plan.files)].map((file) => [file.path, Buffer.concat(file.content()).toString()]),
  );
}

export function briefly(problems: readonly Problem[]): string[] {
  return problems
    .map(({ reason, owner, field, message }) => `${reason} ${owner.name} ${field}: ${message}`)
    .sort();
}

export function widget(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
  namespace = 'ns',
): KubeObject {
  return { kind: 'Widget', apiVersion: 'v1', metadata: { name, namespace }, spec };
}
