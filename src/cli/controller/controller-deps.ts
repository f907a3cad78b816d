import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Observable } from 'rxjs';
import type { TemplateConfig } from '../../api/template-config.ts';
import type { AgentClient } from '../../fleet/agent-client.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { KubeTransport } from '../../kube/kube-transport.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { DebugDeps } from '../../server/debug-routes.ts';
import type { Health } from '../../server/health.ts';
import type { ControllerPart } from '../../world/controller-runtime.ts';

export interface ControllerDeps {
  readonly config: TemplateConfig;
  readonly transport: KubeTransport;
  readonly client: AgentClient;
  /** HAProxy's own check of a plan. */
  readonly check: (plan: Plan) => Observable<Verdict>;
  /** What templates may know of HAProxy. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Namespace of the HAProxy pods; all when absent. */
  readonly namespace?: string;
  /** How long one watch request may last. */
  readonly watchTimeoutSeconds: number;
  /** What works beside the pipeline. */
  readonly parts?: readonly ControllerPart[];
  readonly log: Logger;
  /** A stream of the pipeline errored: a bug, after which nothing can be trusted. */
  readonly onFatal: (error: unknown) => void;
}

export interface Controller {
  readonly health: Health;
  readonly debug: DebugDeps;
  readonly registry: Registry;
  stop(): Promise<void>;
}
