import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorCode } from '../../lib/error-code.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { isRecord } from '../../lib/is-record.ts';
import { type Manifest, readManifests } from './manifest.ts';

export interface RenderChartRequest {
  readonly helm: string;
  readonly chart: string;
  readonly release: string;
  readonly namespace: string;
  readonly values: readonly string[];
  /** As `--set` gets them. */
  readonly sets: readonly string[];
  /** `1.33.2`; absent: helm takes the newest that it knows. */
  readonly kubeVersion?: string;
  /** `cert-manager.io/v1`, `cert-manager.io/v1/Certificate` */
  readonly apiVersions: readonly string[];
  readonly isUpgrade: boolean;
  readonly path?: string;
  readonly signal: AbortSignal;
}

/** `refused`: the chart says no, in its own words. `unavailable`: there is no helm to ask. */
export type RenderedChart =
  | { readonly kind: 'rendered'; readonly manifests: readonly Manifest[] }
  | { readonly kind: 'refused'; readonly messages: readonly string[] }
  | { readonly kind: 'unavailable'; readonly reason: string };

const longestOutput = 64 * 1024 * 1024;

/** `helm template`: what an install would send, hooks and CRDs included. Asks no cluster. */
export async function renderChart(request: RenderChartRequest): Promise<RenderedChart> {
  const { helm, chart, release, namespace, values, sets, kubeVersion, apiVersions, isUpgrade, path, signal } =
    request;
  const line = [
    ...['template', release, chart, '--namespace', namespace, '--include-crds'],
    ...values.flatMap((file) => ['--values', file]),
    ...sets.flatMap((set) => ['--set', set]),
    ...(kubeVersion === undefined ? [] : ['--kube-version', kubeVersion]),
    ...apiVersions.flatMap((name) => ['--api-versions', name]),
    ...(isUpgrade ? ['--is-upgrade'] : []),
  ];
  let printed: string;
  try {
    const options = {
      maxBuffer: longestOutput,
      signal,
      ...(path !== undefined && { env: { ...process.env, PATH: path } }),
    };
    printed = (await promisify(execFile)(helm, line, options)).stdout;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'unavailable', reason: `there is no ${helm} on PATH` };
    const said = isRecord(error) && typeof error['stderr'] === 'string' ? error['stderr'].trim() : '';
    return { kind: 'refused', messages: wordsOf(said === '' ? errorMessage(error) : said) };
  }
  try {
    return { kind: 'rendered', manifests: readManifests(printed) };
  } catch (error) {
    return { kind: 'refused', messages: [`the chart renders to no YAML: ${errorMessage(error)}`] };
  }
}

/**
 * What helm has to say, without where in a template: `Error: execution error at (haptic/templates/x.yaml:3:4): WORDS` is WORDS. A list of
 * what a schema refuses is a message each.
 */
function wordsOf(said: string): readonly string[] {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^Error: /, '').replace(/^(?:INSTALLATION FAILED|UPGRADE FAILED): /, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('Use --debug'));
  const rules = lines.flatMap((line) => {
    const [, words] = /execution error at \([^)]*\): (.*)$/.exec(line) ?? [];
    return words === undefined ? [] : [words];
  });
  if (rules.length > 0) {
    const first = lines.findIndex((line) => line.includes('execution error at'));
    return [[...rules.slice(-1), ...lines.slice(first + 1)].join(' ')];
  }
  const listed = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  return listed.length > 0 ? listed : lines;
}
