import { factResources, secretResource } from '../api/fact-resources.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { layerGraph } from '../collections/layer-graph.ts';
import type { Collection, Graph } from '../collections/types.ts';
import { parseCidr } from '../lib/cidr.ts';
import { isRecord } from '../lib/is-record.ts';
import { CodedError } from '../lib/coded-error.ts';
import {
  createIngressProjections,
  type IngressProjections,
} from '../projections/ingress/create-ingress-projections.ts';
import { addressRules } from '../projections/endpoints/address-rules.ts';
import type { ExternalNames } from '../projections/endpoints/external-names.ts';
import type { PolicyBounds } from '../projections/policies/policy-bounds.ts';
import type { PolicyDefaults } from '../projections/policies/policy-defaults.ts';
import type { Publishing } from '../projections/published-addresses.ts';
import {
  createTlsProjections,
  type TlsOptions,
  type TlsProjections,
  type TlsTimes,
} from '../projections/tls/create-tls-projections.ts';
import { parseDuration } from '../lib/duration.ts';
import type { LiveStore } from './live-store.ts';

/**
 * Routes and backends are made of whole objects.
 *
 * @throws CodedError `HAPTIC_ERR_CONFIG_INVALID`, when such a kind is to be stored on demand
 */
export function refuseFactsOnDemand(watchedResources: TemplateConfig['watchedResources']): void {
  for (const name of factResources)
    if (watchedResources[name]?.store === 'on-demand')
      throw new CodedError(
        'HAPTIC_ERR_CONFIG_INVALID',
        `watchedResources.${name}.store: "on-demand" is not possible for ${name}, of which routes and backends are made; use "full"`,
      );
}

/** What facts are made by, besides stores. */
export interface FactOptions extends TlsOptions {
  /** What the status of every Ingress should say of the way to HAProxy. */
  readonly publishing: Publishing;
  readonly externalNames: ExternalNames;
  /** Whether annotations in HAProxy's own language are taken. */
  readonly snippetAnnotations: boolean;
  readonly policyDefaults: PolicyDefaults;
  readonly policyBounds: PolicyBounds;
  /** Of all HAProxy pods. */
  readonly zone?: string;
  /** Whether HAProxy takes new backends at runtime. */
  readonly movesBackends: boolean;
}

/**
 * @param constants that templates know; of them `capabilities`, what HAProxy can
 * @throws CodedError `HAPTIC_ERR_CONFIG_INVALID`, when a setting cannot be understood
 */
export function factOptionsOf(
  { controller, templatingSettings }: Pick<TemplateConfig, 'controller' | 'templatingSettings'>,
  { capabilities }: Readonly<Record<string, unknown>>,
): FactOptions {
  const { publishService: service, publishAddresses: addresses } = controller;
  const { defaultSSLCertificate, selfSignedCertificate, certificateGracePeriod, externalNames } = controller;
  return {
    publishing: { ...(service && { service }), addresses },
    externalNames: externalNamesOf(externalNames),
    snippetAnnotations: controller.snippetAnnotations,
    policyBounds: controller.policyBounds,
    policyDefaults: policyDefaultsOf(templatingSettings.extraContext),
    movesBackends: isRecord(capabilities) && capabilities['dynamicBackends'] === true,
    ...(controller.zone !== undefined && { zone: controller.zone }),
    certificateGraceMs: parseDuration(certificateGracePeriod, 'controller.certificateGracePeriod'),
    defaultCertificates: [defaultSSLCertificate, selfSignedCertificate].filter((ref) => ref !== undefined),
  };
}

/** What the templates of the libraries take from there. */
function policyDefaultsOf({ hsts, sslRedirect }: Readonly<Record<string, unknown>>): PolicyDefaults {
  return { hsts: isRecord(hsts) && hsts['enabled'] === true, sslRedirect: sslRedirect === true };
}

function externalNamesOf({
  allowedNetworks,
  ...names
}: TemplateConfig['controller']['externalNames']): ExternalNames {
  allowedNetworks.forEach((network, i) => {
    if (parseCidr(network) !== undefined) return;
    const field = `controller.externalNames.allowedNetworks[${i}]`;
    throw new CodedError(
      'HAPTIC_ERR_CONFIG_INVALID',
      `${field}: "${network}" is no network; write "10.20.0.0/16"`,
    );
  });
  return { ...names, rules: addressRules(allowedNetworks) };
}

/** What follows from stores whatever the templates say: the same for all configurations that watch and publish the same. */
export interface Facts {
  readonly graph: Graph;
  /** Under the names that templates use. */
  readonly collections: Readonly<
    Record<
      keyof Omit<IngressProjections, 'tlsUses' | 'trust' | 'hostOwners'> | keyof TlsProjections,
      Collection<unknown>
    >
  >;
  /** What is said when time passes. */
  readonly waits: TlsTimes;
  readonly dispose: () => void;
}

/** Projections over stores. A kind that is not watched is an empty store, so that projections need not care. */
export function buildFacts(
  stores: ReadonlyMap<string, LiveStore>,
  {
    publishing,
    externalNames,
    snippetAnnotations,
    policyBounds,
    policyDefaults,
    zone,
    movesBackends,
    ...tlsOptions
  }: FactOptions,
): Facts {
  const watched = [...factResources, secretResource].flatMap((name) => stores.get(name)?.graph ?? []);
  const { graph, above, dispose } = layerGraph(watched);
  const storeOf = (name: string): Collection<KubeObject> => {
    const live = stores.get(name);
    return live === undefined ? graph.source<KubeObject>(`unwatched ${name}`) : above(live.store);
  };
  const live = stores.get(secretResource);
  const onDemand = live?.cache && { arrivals: above(live.cache.arrivals), cache: live.cache };
  const secrets = { secrets: storeOf(secretResource), ...(onDemand && { onDemand }) };
  const {
    tlsUses: uses,
    trust,
    hostOwners,
    ...routing
  } = createIngressProjections(
    graph,
    {
      ingresses: storeOf('ingresses'),
      ingressClasses: storeOf('ingressclasses'),
      services: storeOf('services'),
      endpointslices: storeOf('endpointslices'),
      secrets,
    },
    {
      publishing,
      externalNames,
      snippetAnnotations,
      policyBounds,
      policyDefaults,
      movesBackends,
      ...(zone !== undefined && { zone }),
    },
  );
  // Where no Secrets are watched, HTTPS is not served, and nobody need be told what it lacks.
  const tls =
    live === undefined
      ? createTlsProjections(
          graph,
          { uses: graph.source('no uses'), trust, hostOwners, ...secrets },
          { ...tlsOptions, defaultCertificates: [] },
        )
      : createTlsProjections(graph, { uses, trust, hostOwners, ...secrets }, tlsOptions);
  return { graph, collections: { ...routing, ...tls.collections }, waits: tls.waits, dispose };
}
