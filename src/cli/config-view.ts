import { readFile } from 'node:fs/promises';
import { text as textOfStream } from 'node:stream/consumers';
import { parse } from 'yaml';
import { apiGroup } from '../api/api-group.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { configInvalid } from '../config/config-invalid.ts';
import { resolveFiles } from '../config/resolve-files.ts';
import type { SourceKind, SourceMap } from '../config/source-map.ts';
import { kubeClient } from '../kube/kube-client.ts';
import { loadKubeConfig } from '../kube/kube-config.ts';
import { describeFailure } from '../kube/kube-failure.ts';
import { retainedType, typeLabel } from '../kube/published-object.ts';
import { CodedError } from '../lib/coded-error.ts';
import { readFailure } from '../lib/read-failure.ts';
import { redact } from '../lib/redact.ts';
import { publishedNames } from '../sinks/publish/published-names.ts';
import type { CliCall } from './cli-command.ts';
import { clusterConfig } from './cluster-config.ts';
import type { configViewOptions } from './config-view-command.ts';
import { openKube } from './kube-access.ts';
import { librariesPath } from './libraries-path.ts';
import { readConfigFiles } from './read-config.ts';
import { renderedContent } from './rendered-content.ts';
import { toYaml } from '../lib/to-yaml.ts';

type Call = CliCall<typeof configViewOptions>;

/** `haptic config view`: never a Secret's value; fields that are secret by name only when they are asked for. */
export async function runConfigView(call: Call): Promise<number> {
  const { values, words, out } = call;
  const [what = 'effective'] = words;
  await using resources = new AsyncDisposableStack();
  if (what === 'rendered') {
    out(renderedContent(await publishedConfig(call, resources)));
    return 0;
  }
  if (values.input !== undefined) throw usage('--input is for rendered');
  const { config, sources } = await resolved(call, resources);
  const answer =
    what === 'sources' ? sourcesOf(config, sources) : values['show-secrets'] ? config : redact(config);
  out(values.output === 'json' ? `${JSON.stringify(answer, undefined, 2)}\n` : toYaml(answer));
  return 0;
}

async function resolved(
  { values, signal }: Call,
  resources: AsyncDisposableStack,
): Promise<{ readonly config: TemplateConfig; readonly sources: SourceMap }> {
  const libraries = values.libraries ?? librariesPath(import.meta.url);
  const name = values['crd-name'];
  if (name === undefined || values.values.length > 0) {
    const resolution = resolveFiles(await readConfigFiles(libraries, values.values));
    if (!resolution.ok) throw configInvalid(resolution.errors);
    return resolution;
  }
  const client = kubeClient(openKube(values, resources));
  const { resolution } = await clusterConfig(client, {
    namespace: namespaceOf(values),
    name,
    libraries,
    signal,
  });
  return resolution;
}

/** Which document has the last word, by kind of part and name. */
function sourcesOf(
  config: TemplateConfig,
  sources: SourceMap,
): Readonly<Record<string, string | Readonly<Record<string, string>>>> {
  const of = (kind: SourceKind, parts: object | undefined) =>
    Object.fromEntries(
      Object.keys(parts ?? {})
        .sort()
        .map((name) => [name, sources.sourceOf(kind, name)]),
    );
  const all = {
    watchedResources: of('resource', config.watchedResources),
    templateSnippets: of('snippet', config.templateSnippets),
    maps: of('map', config.maps),
    files: of('file', config.files),
    sslCertificates: of('certificate', config.sslCertificates),
    crtLists: of('crtList', config.crtLists),
    k8sResources: of('k8sResource', config.k8sResources),
    validationTests: of('test', config.validationTests),
  };
  const there = Object.entries(all).filter(([, parts]) => Object.keys(parts).length > 0);
  return { haproxyConfig: sources.sourceOf('config', ''), ...Object.fromEntries(there) };
}

async function publishedConfig({ values, signal }: Call, resources: AsyncDisposableStack): Promise<unknown> {
  const { input, 'crd-name': name } = values;
  if (input !== undefined) {
    try {
      return parse(
        input === '-' ? await textOfStream(process.stdin) : await readFile(input, 'utf8'),
      ) as unknown;
    } catch (error) {
      throw new CodedError('HAPTIC_ERR_CLI_READ', `${input}: ${readFailure(error)}`, { cause: error });
    }
  }
  const client = kubeClient(openKube(values, resources));
  const ref = { apiVersion: apiGroup.apiVersion, resources: 'haproxycfgs', namespace: namespaceOf(values) };
  if (name !== undefined) {
    const found = await client.get(ref, name, { signal });
    if (found.ok) return found.value;
    // The name of a configuration means what is published of it.
    const published = await client.get(ref, publishedNames(name).main, { signal });
    if (published.ok) return published.value;
    throw new CodedError(
      'HAPTIC_ERR_CLI_KUBE',
      `HAProxyCfg ${ref.namespace}/${name}: ${describeFailure(found.failure)}`,
    );
  }
  const all = [];
  for await (const page of client.list(ref, { signal })) {
    if (!page.ok)
      throw new CodedError(
        'HAPTIC_ERR_CLI_KUBE',
        `HAProxyCfgs of ${ref.namespace}: ${describeFailure(page.failure)}`,
      );
    all.push(...page.value.items);
  }
  const names = new Set(all.map((object) => object.metadata.name));
  // What is refused, or kept, is beside what runs: who does not say which means the latter.
  const accepted = all.filter(
    ({ metadata: { name: one, labels } }) =>
      labels?.[typeLabel] !== retainedType &&
      (!one.endsWith('-invalid') || !names.has(one.replace(/-invalid$/, ''))),
  );
  const [only, ...more] = accepted;
  if (only === undefined)
    throw new CodedError('HAPTIC_ERR_CLI_KUBE', `there is no HAProxyCfg in ${ref.namespace}`);
  if (more.length === 0) return only;
  const choice = accepted.map(({ metadata }) => metadata.name).join(', ');
  throw usage(`say with --crd-name which HAProxyCfg of ${ref.namespace} is meant: ${choice}`);
}

function namespaceOf({ namespace, kubeconfig, context }: Call['values']): string {
  if (namespace !== undefined) return namespace;
  const credentials = loadKubeConfig({
    ...(kubeconfig !== undefined && { kubeconfigPath: kubeconfig }),
    ...(context !== undefined && { context }),
  });
  return credentials.namespace ?? 'default';
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}
