import type { KubeObject } from '../../api/kube-object.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import type { KubeTransport } from '../../kube/kube-transport.ts';
import type { HaproxyAtHand } from '../../validation/test-deps.ts';
import type { ServedApis } from '../discover-apis.ts';
import type { ChartFiles } from './chart-files.ts';
import type { FoundRelease } from './installed-release.ts';
import type { Manifest } from './manifest.ts';

/** A cluster that answers. */
export interface Cluster {
  readonly transport: KubeTransport;
  readonly kube: KubeClient;
  /** `v1.33.2` */
  readonly version: string;
  readonly served: ServedApis;
  /** The namespace to install into; absent: it is not there. */
  readonly namespace?: KubeObject;
  readonly release: FoundRelease;
}

/** What the checks look at. What is absent could not be had, and its checks say so. */
export interface PreflightFacts {
  readonly release: string;
  readonly namespace: string;
  /** The chart, where it is a folder. */
  readonly chart?: ChartFiles;
  /** Values that were given, merged; without the chart's. */
  readonly given: Readonly<Record<string, unknown>>;
  /** What an install would send. */
  readonly manifests?: readonly Manifest[];
  readonly cluster?: Cluster;
  /** Folder of the libraries that came with the program. */
  readonly libraries: string;
  readonly haproxy?: HaproxyAtHand;
  readonly path?: string;
  readonly now: () => number;
  /** A signal for one question: aborted by the command's, and after the time-out. */
  readonly signal: () => AbortSignal;
}
