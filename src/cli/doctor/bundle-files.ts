import type { KubeObject } from '../../api/kube-object.ts';
import { valuesOf } from '../../lib/ordered-map.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { isRecord } from '../../lib/is-record.ts';
import { decodePlan } from '../../plan/decode-plan.ts';
import { askController } from '../ask-controller.ts';
import { version } from '../../lib/version.ts';
import type { ExaminedPod } from './check-fleet.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';
import type { BundleFile } from './write-bundle.ts';
import { toYaml } from '../../lib/to-yaml.ts';

export interface BundleSources {
  readonly findings: readonly Finding[];
  readonly pods: readonly ExaminedPod[];
  readonly taps?: Readonly<Record<string, unknown>>;
  readonly metricsUrl: string;
  /** Of each log. */
  readonly logLines: number;
}

/** Taps without words of templates, HAProxy or agents, which may repeat lines of the configuration. */
const wordless = new Set(['pods', 'fleet', 'latch']);
/** Checks whose findings have such words. */
const wordy = new Set(['configuration', 'status']);

/** Everything that a report needs, as far as it can be had. */
export async function bundleFiles(deps: DoctorDeps, sources: BundleSources): Promise<readonly BundleFile[]> {
  const { config, configObject } = deps;
  const { findings, pods, taps = {} } = sources;
  const safe = (path: string, content: unknown): BundleFile => ({ path, content, mayHoldSecrets: false });
  const risky = (path: string, content: unknown): BundleFile => ({ path, content, mayHoldSecrets: true });
  return [
    safe(
      'findings.json',
      findings.filter(({ check }) => !wordy.has(check)),
    ),
    risky(
      'findings-of-configuration.json',
      findings.filter(({ check }) => wordy.has(check)),
    ),
    safe('version.json', { version, node: process.version, platform: `${process.platform}/${process.arch}` }),
    ...(config === undefined ? [] : [risky('configuration.json', config)]),
    ...(configObject === undefined
      ? []
      : [risky('configuration-status.yaml', toYaml(statusOf(configObject)))]),
    ...pods.flatMap(({ pod, state }) => {
      if (state === undefined) return [];
      const { applied_plan: _plan, former_plan: _former, last_apply: last, ...rest } = state;
      return [
        safe(`pods/${pod.key}/state.json`, rest),
        ...(last === undefined ? [] : [risky(`pods/${pod.key}/last-apply.json`, last)]),
      ];
    }),
    ...Object.entries(taps).map(([name, value]) =>
      (wordless.has(name) ? safe : risky)(`taps/${name}.json`, value),
    ),
    ...(taps['config'] === undefined && Object.keys(taps).length === 0 ? [] : await liveFiles(deps, risky)),
    ...(Object.keys(taps).length === 0 ? [] : await varsFile(deps, risky)),
    ...(await metricsFile(deps, sources.metricsUrl, risky)),
    ...(sources.logLines > 0 ? await logFiles(deps, sources.logLines, risky) : []),
  ];
}

/** Annotations may repeat all of an object. */
function statusOf({ metadata, ...object }: KubeObject): unknown {
  const { name, namespace, generation, labels } = metadata;
  return { metadata: { name, namespace, generation, labels }, status: object['status'] };
}

type Make = (path: string, content: unknown) => BundleFile;

/** haproxy.cfg, maps and crt-lists of the render that is out; of other files their digests. */
async function liveFiles({ url, signal }: DoctorDeps, make: Make): Promise<readonly BundleFile[]> {
  try {
    const response = await askController(url, 'plan', signal());
    const decoded = await decodePlan(new Uint8Array(await response.arrayBuffer()));
    if (decoded.kind === 'unusable') return [make('live/unusable.txt', decoded.reason)];
    const { plan } = decoded;
    const all = [...valuesOf(plan.files)];
    const shown = all.filter(({ kind }) => kind === 'config' || kind === 'map');
    return [
      make('live/plan.json', {
        id: plan.id,
        files: all.map(({ path, kind, digest, size }) => ({ path, kind, digest, size })),
      }),
      ...shown.map((file) => make(`live/${file.path}`, Buffer.concat(file.content()).toString('utf8'))),
    ];
  } catch (error) {
    return [make('live/unavailable.txt', `${errorMessage(error)}\n`)];
  }
}

/** What the controller says of itself besides its taps. */
async function varsFile({ url, signal }: DoctorDeps, make: Make): Promise<readonly BundleFile[]> {
  try {
    return [make('vars.json', await (await askController(url, 'vars/all', signal())).json())];
  } catch (error) {
    return [make('vars-unavailable.txt', `${errorMessage(error)}\n`)];
  }
}

async function metricsFile({ signal }: DoctorDeps, url: string, make: Make): Promise<readonly BundleFile[]> {
  try {
    const response = await fetch(url, { signal: signal() });
    return response.ok ? [make('metrics/controller.txt', await response.text())] : [];
  } catch {
    return [];
  }
}

/** Of every container of the pods of HAPTIC and of HAProxy in the namespace, where the API gives them out. */
async function logFiles(
  { kube, transport, namespace, config, signal }: DoctorDeps,
  lines: number,
  make: Make,
): Promise<readonly BundleFile[]> {
  const selectors = ['app.kubernetes.io/name=haptic'];
  if (config !== undefined)
    selectors.push(
      Object.entries(config.podSelector.matchLabels)
        .map(([name, value]) => `${name}=${value}`)
        .join(','),
    );
  const files = new Map<string, BundleFile>();
  for (const labelSelector of selectors)
    for await (const page of kube.list(
      { apiVersion: 'v1', resources: 'pods', namespace },
      { labelSelector, signal: signal() },
    )) {
      if (!page.ok) break;
      for (const { metadata, spec } of page.value.items)
        for (const container of containersOf(spec)) {
          const path = `logs/${namespace}/${metadata.name}/${container}.log`;
          const answer = await transport.request({
            path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(metadata.name)}/log`,
            query: { container, tailLines: lines },
            signal: signal(),
          });
          const text = answer.ok ? await answer.value.body.text() : `${describeFailure(answer.failure)}\n`;
          files.set(path, make(path, text));
        }
    }
  return [...files.values()];
}

function containersOf(spec: unknown): readonly string[] {
  const listed = isRecord(spec)
    ? [spec['initContainers'], spec['containers']].flatMap((list): unknown[] =>
        Array.isArray(list) ? list : [],
      )
    : [];
  return listed.flatMap((container) =>
    isRecord(container) && typeof container['name'] === 'string' ? [container['name']] : [],
  );
}
