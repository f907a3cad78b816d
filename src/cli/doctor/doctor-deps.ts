import type { KubeObject } from '../../api/kube-object.ts';
import type { TemplateConfig } from '../../api/template-config.ts';
import type { AgentClient } from '../../fleet/agent-client.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import type { KubeTransport } from '../../kube/kube-transport.ts';
import type { Installation } from './installation.ts';

/** What the checks look at. What is absent could not be had, and its checks say so. */
export interface DoctorDeps {
  readonly transport: KubeTransport;
  readonly kube: KubeClient;
  readonly namespace: string;
  /** Why there is no way to the API server. */
  readonly kubeFailure?: string;
  readonly config?: TemplateConfig;
  /** The HAProxyTemplateConfig that `config` is of. */
  readonly configObject?: KubeObject;
  /** Why there is no configuration. */
  readonly configFailure?: string;
  readonly agents?: AgentClient;
  /** Why agents cannot be asked. */
  readonly agentFailure?: string;
  /** Folder of the certificate for agents; absent with plain HTTP. */
  readonly tlsDir?: string;
  readonly haproxy: string;
  /** Debug pages of the controller. */
  readonly url: string;
  /** `namespace/name` whose permissions are looked at, instead of the own ones. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  /** The Helm release in the namespace. */
  readonly installation?: Installation;
  readonly now: () => number;
  /** A signal for one question: aborted by the command's, and after the time-out. */
  readonly signal: () => AbortSignal;
}
