import type { KubeObject, ObjectMeta } from '../../api/kube-object.ts';
import type { OwnerReference } from '../api/api-object.ts';

/**
 * The built-in kinds that the stand-ins read and write, as far as they look at them. The API server checked every
 * object's types when it was written, so these are what it holds.
 */
export interface OwnedMeta extends ObjectMeta {
  readonly deletionGracePeriodSeconds?: number;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly protocol?: string;
  }[];
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly nodeName?: string;
  readonly terminationGracePeriodSeconds?: number;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export interface Pod extends KubeObject {
  readonly metadata: OwnedMeta;
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface PodTemplate {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}

export interface ReplicaSet extends KubeObject {
  readonly metadata: OwnedMeta;
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
  };
}

export interface Deployment extends KubeObject {
  readonly metadata: OwnedMeta;
  readonly spec: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly revisionHistoryLimit?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: {
        readonly maxSurge?: number | string;
        readonly maxUnavailable?: number | string;
      };
    };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
    readonly type?: string;
    readonly publishNotReadyAddresses?: boolean;
  };
}

export interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean };
  readonly nodeName?: string;
  readonly targetRef?: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
}

export interface EndpointSlice extends KubeObject {
  readonly metadata: OwnedMeta;
  readonly addressType: 'IPv4' | 'IPv6';
  readonly endpoints: readonly Endpoint[];
  readonly ports: readonly EndpointPort[];
}

/** The Ready condition says True. */
export function isPodReady(pod: Pod): boolean {
  return pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true;
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** The controlling owner's uid, if the object has one. */
export function controllerUid(object: { readonly metadata: OwnedMeta }): string | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid;
}
