import { Counter, Gauge, type Registry } from 'prom-client';
import type { TlsFolder } from '../lib/tls/tls-folder.ts';
import { type AgentMeters, agentInvariants } from './agent-meters.ts';

/**
 * The agent's metrics, on a registry of their own.
 *
 * @param certificates the agent's own, where it has some: their end is looked up with each scrape
 */
export function createAgentMetrics(registry: Registry, certificates?: TlsFolder): AgentMeters {
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter<T>({ name: `haptic_agent_${name}`, help, labelNames, registers });
  const applies = counter(
    'apply_total',
    'Applies that were carried out or refused by HAProxy, by what became of them.',
    ['mode'],
  );
  const rejected = counter(
    'apply_rejected_total',
    'Applies that came to nothing, by the stage that ended them.',
    ['stage'],
  );
  const invariants = counter(
    'invariant_violations_total',
    'Things that must always hold and did not; each is a bug or a foreign hand.',
    ['name'],
  );
  const reloads = counter('reloads_total', 'Reloads of HAProxy, by their result.', ['result']);
  // At nought from the start: Prometheus does not see that a series has grown with its first value.
  for (const name of agentInvariants) invariants.inc({ name }, 0);
  for (const result of ['ok', 'failed']) reloads.inc({ result }, 0);
  const rollbacks = counter(
    'rollbacks_total',
    'File sets that were put back after HAProxy had refused their successor.',
  );
  const deletes = counter(
    'deferred_deletes_total',
    'Removals of servers and backends that had to wait for their sessions, by how they went.',
    ['kind', 'outcome'],
  );
  const operationErrors = counter('op_errors_total', 'Runtime operations that HAProxy refused, by kind.', [
    'kind',
  ]);
  const divergences = counter(
    'map_divergence_total',
    'Maps in the worker that were found to differ from their file after an apply.',
  );
  const generation = new Gauge({
    name: 'haptic_agent_generation',
    help: 'Number of accepted applies, as in the state.',
    registers,
  });
  if (certificates !== undefined)
    new Gauge({
      name: 'haptic_agent_certificate_expiry_timestamp_seconds',
      help: "When the agent's own certificate ends, in Unix time; 0 while it is not usable.",
      registers,
      collect() {
        this.set(endOf(certificates) / 1000);
      },
    });
  return {
    applied: (mode) => applies.inc({ mode }),
    rejected: (stage) => rejected.inc({ stage }),
    invariant: (name) => invariants.inc({ name }),
    reloaded: (result) => reloads.inc({ result }),
    rolledBack: () => rollbacks.inc(),
    deferredDelete: (kind, outcome) => deletes.inc({ kind, outcome }),
    operationError: (kind) => operationErrors.inc({ kind }),
    generation: (value) => generation.set(value),
    mapDivergence: () => divergences.inc(),
  };
}

function endOf(certificates: TlsFolder): number {
  try {
    return certificates.current().leaf.validToDate.getTime();
  } catch {
    // The log says why, where connections are refused for it.
    return 0;
  }
}
