import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Observable } from 'rxjs';
import type { KubeObject } from '../../api/kube-object.ts';
import type { TemplateConfig } from '../../api/template-config.ts';
import type { ConfigLibrary } from '../../config/config-library.ts';
import type { AgentClient } from '../../fleet/agent-client.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { KubeTransport } from '../../kube/kube-transport.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { DebugDeps } from '../../server/debug-routes.ts';
import type { Health } from '../../server/health.ts';
import type { StatusWritten } from '../../sinks/write-config-status.ts';
import type { ControllerPart } from '../../world/controller-runtime.ts';
import type { ResolvedConfig, StageResult } from '../../world/load-report.ts';
import type { StartupStages } from '../../world/startup-stages.ts';
import type { ElectionOptions } from './elect-leader.ts';

/** A configuration that is an object of the API, and followed there. */
export interface LiveConfig {
  readonly namespace: string;
  /** Of the HAProxyTemplateConfig. */
  readonly name: string;
  /** Libraries that the program brings along. */
  readonly shipped: readonly ConfigLibrary[];
  /** Runs a configuration's own tests. Emits once and completes. */
  readonly test: (resolved: ResolvedConfig) => Observable<StageResult<unknown>>;
  /** Applies a status, over `transport`. Emits once and completes, never errors. */
  readonly applyStatus: (object: KubeObject, transport: KubeTransport) => Observable<StatusWritten>;
}

export interface ControllerDeps {
  /** Given as a whole it stays as it is. */
  readonly config: TemplateConfig | LiveConfig;
  readonly transport: KubeTransport;
  /** Absent: this process has no rival, whatever the configuration says. */
  readonly election?: ElectionOptions;
  readonly client: AgentClient;
  /** HAProxy's own check of a plan, with the validators of a configuration. */
  readonly check: (plan: Plan, config: Pick<TemplateConfig, 'validators'>) => Observable<Verdict>;
  /** Templates that the program brings along, by name: see `Section.foreign`. Absent: there are none. */
  readonly shippedTemplates?: ReadonlyMap<string, string>;
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
  /** To be told when its servers listen: `debug`. */
  readonly stages: Pick<StartupStages, 'mark'>;
  stop(): Promise<void>;
}
