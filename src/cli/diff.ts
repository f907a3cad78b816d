import type { TemplateConfig } from '../api/template-config.ts';
import { createAgentClient } from '../fleet/agent-client.ts';
import { type KubeClient, kubeClient } from '../kube/kube-client.ts';
import { CodedError } from '../lib/coded-error.ts';
import { decodePlan } from '../plan/decode-plan.ts';
import { parseAgentAccess } from './agent-access.ts';
import { askController } from './ask-controller.ts';
import type { CliCall } from './cli-command.ts';
import { clusterConfig } from './cluster-config.ts';
import type { diffOptions } from './diff-command.ts';
import { clusterObjects } from './diff/cluster-objects.ts';
import { type Comparison, compareSides } from './diff/compare-sides.ts';
import { describeComparisons } from './diff/describe-comparison.ts';
import {
  type Ingredients,
  type PathPlace,
  readPath,
  renderPath,
  testIngredients,
} from './diff/path-sides.ts';
import { type Place, parsePlace } from './diff/place.ts';
import { namedPod, podSide, selectedPods, type PodDeps } from './diff/pod-sides.ts';
import { fixturesOf, readObjects } from './diff/read-objects.ts';
import { renderedSide, type Side } from './diff/side.ts';
import { sideWithoutPasswords } from './diff/side-without-passwords.ts';
import { openKube } from './kube-access.ts';
import { librariesPath } from './libraries-path.ts';
import { printed } from './printed.ts';
import { readConfig } from './read-config.ts';

type Call = CliCall<typeof diffOptions>;

/** `haptic diff`: what it takes to get from one place to another. */
export async function runDiff(call: Call): Promise<number> {
  const { values, signal, out, err } = call;
  const places = { from: parsePlace(values.from, '--from'), to: parsePlace(values.to, '--to') };
  const context = contextOf(values);
  refuseWrongPairs(places, values);
  await using resources = new AsyncDisposableStack();
  const libraries = values.libraries ?? librariesPath(import.meta.url);
  const note = (text: string) => err(`haptic diff: ${text}\n`);
  const paths = {
    from: await pathOf(places.from, libraries, note),
    to: await pathOf(places.to, libraries, note),
  };
  const kube = lazily(() => kubeClient(openKube(values, resources)));
  const asksPods = [places.from, places.to].some(({ kind }) => kind === 'pod' || kind === 'pods');
  const config =
    paths.to?.config ??
    paths.from?.config ??
    (await configInUse(values, asksPods ? kube : undefined, libraries, signal));
  const ingredients = await ingredientsOf(values, paths.to ?? paths.from, config, kube, signal, note);
  const pods = lazily((): PodDeps => {
    const access = parseAgentAccess(values, call.env, { needsCredentials: true });
    const agents = createAgentClient(access);
    resources.defer(() => agents.close());
    return { kube: kube(), agents, port: config.dataplane.port, signal };
  });

  // A controller tells no passwords: what is compared with it has none either, and their changes do not show.
  const isLive = places.from.kind === 'live' || places.to.kind === 'live';
  const asShown = async (side: Side) => (isLive ? sideWithoutPasswords(side, signal) : side);
  const sides = {
    from: await Promise.all((await sidesOf(places.from, paths.from)).map(asShown)),
    to: await Promise.all((await sidesOf(places.to, paths.to)).map(asShown)),
  };
  const comparisons = sides.from.flatMap((from) =>
    sides.to
      .filter((to) => from.test === undefined || to.test === undefined || from.test === to.test)
      .map((to): Comparison => compareSides(from, planned(to), context === undefined ? {} : { context })),
  );
  out(printed(values.output, { comparisons }, () => describeComparisons(comparisons)));
  return 0;

  async function sidesOf(place: Place, path: PathPlace | undefined): Promise<readonly Side[]> {
    switch (place.kind) {
      case 'path': {
        const sides: Side[] = [];
        if (path !== undefined)
          for (const one of ingredients) sides.push(await renderPath(path, one, values['haproxy-version']));
        return sides;
      }
      case 'live':
        return [await liveSide(values, signal)];
      case 'pod':
        return [await podSide(pods(), await namedPod(pods(), place.namespace, place.name))];
      case 'pods': {
        const labels = values.selector ?? selectorOf(config);
        const found = await selectedPods(pods(), labels, values.namespace);
        return Promise.all(found.map((pod) => podSide(pods(), pod)));
      }
    }
  }
}

function refuseWrongPairs(
  { from, to }: Readonly<Record<'from' | 'to', Place>>,
  values: Call['values'],
): void {
  if (to.kind === 'pods') throw usage('--to must be one place: pods can only be where a change starts');
  const takesObjects = from.kind === 'path' || to.kind === 'path';
  if (!takesObjects && (values.objects.length > 0 || values.test.length > 0 || values.all))
    throw usage('--objects, --test and --all are for a place that is a file or folder');
}

async function pathOf(
  place: Place,
  libraries: string,
  note: (text: string) => void,
): Promise<PathPlace | undefined> {
  return place.kind === 'path' ? readPath(place.path, libraries, note) : undefined;
}

/** That of the cluster where one is named and it matters, else that of the program. */
async function configInUse(
  values: Call['values'],
  kube: (() => KubeClient) | undefined,
  libraries: string,
  signal: AbortSignal,
): Promise<TemplateConfig> {
  const { 'crd-name': name, namespace } = values;
  if (name === undefined || kube === undefined) return readConfig(libraries, []);
  const request = { namespace: namespace ?? 'default', name, libraries, signal };
  return (await clusterConfig(kube(), request)).resolution.config;
}

/** What both renders are made of besides their own objects: once for each test that is asked for. */
async function ingredientsOf(
  values: Call['values'],
  tested: PathPlace | undefined,
  config: TemplateConfig,
  kube: () => KubeClient,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<readonly Ingredients[]> {
  const common: Record<string, unknown[]> = {};
  const add = (fixtures: Readonly<Record<string, readonly unknown[]>>): void => {
    for (const [name, objects] of Object.entries(fixtures)) (common[name] ??= []).push(...objects);
  };
  for (const place of values.objects) {
    if (place === 'cluster') add(await clusterObjects(kube(), config, signal));
    else {
      const { fixtures, unwatched } = fixturesOf(config, (await readObjects(place)).objects);
      if (unwatched.length > 0) note(`${place}: ${unwatched.join(', ')} are not watched and left out`);
      add(fixtures);
    }
  }
  if (tested === undefined || (values.test.length === 0 && !values.all)) return [{ fixtures: common }];
  return testIngredients(tested, values.all ? undefined : values.test).map((test) => ({
    ...test,
    fixtures: { ...common, ...test.fixtures },
  }));
}

/** What a running controller has let out. */
async function liveSide(values: Call['values'], signal: AbortSignal): Promise<Side> {
  const response = await askController(values.url, 'plan', signal);
  const decoded = await decodePlan(new Uint8Array(await response.arrayBuffer()), signal);
  if (decoded.kind === 'unusable')
    throw new CodedError(
      'HAPTIC_ERR_CLI_CONTROLLER',
      `the controller is of another release: ${decoded.reason}`,
    );
  return renderedSide({ name: 'live', problems: [] }, decoded.plan, values['haproxy-version']);
}

function planned(side: Side): Side & { readonly plan: NonNullable<Side['plan']> } {
  const { plan } = side;
  if (plan !== undefined) return { ...side, plan };
  throw new CodedError(
    'HAPTIC_ERR_CLI_POD',
    `${side.name} keeps no plan of what it holds, so nothing can be compared with it`,
  );
}

function selectorOf({ podSelector }: TemplateConfig): string {
  return Object.entries(podSelector.matchLabels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

function contextOf(values: Call['values']): number | undefined {
  const context = Number(values.unified);
  if (!Number.isSafeInteger(context) || context < 0)
    throw usage(`--unified must be a whole number, not "${values.unified}"`);
  if (!/^\d+\.\d+/.test(values['haproxy-version']))
    throw usage(`--haproxy-version must be like 3.4, not "${values['haproxy-version']}"`);
  return values['no-content'] ? undefined : context;
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}
