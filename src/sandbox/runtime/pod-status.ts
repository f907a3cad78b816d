/** One container as the kubelet reports it. */
export interface ContainerReport {
  readonly name: string;
  readonly image: string;
  readonly restartCount: number;
  readonly state:
    | { readonly kind: 'running'; readonly startedAt: Date; readonly id: string; readonly ready: boolean }
    | { readonly kind: 'waiting'; readonly reason: string; readonly message: string };
  readonly lastExit?: { readonly code: number; readonly startedAt: Date; readonly finishedAt: Date };
}

export interface PodReport {
  readonly podIP: string | undefined;
  readonly startTime: Date;
  readonly containers: readonly ContainerReport[];
  /** When readiness last changed. */
  readonly since: Date;
}

/** `status` of a Pod in the words of core/v1. */
export function podStatus(report: PodReport): object {
  const ready = report.containers.every((c) => c.state.kind === 'running' && c.state.ready);
  const everRan = report.containers.some((c) => c.state.kind === 'running' || c.restartCount > 0);
  const at = (type: string, status: boolean, time: Date) => ({
    type,
    status: status ? 'True' : 'False',
    lastTransitionTime: rfc3339(time),
  });
  return {
    phase: everRan ? 'Running' : 'Pending',
    conditions: [
      at('PodScheduled', true, report.startTime),
      at('Initialized', true, report.startTime),
      at('ContainersReady', ready, report.since),
      at('Ready', ready, report.since),
    ],
    hostIP: '127.0.0.1',
    ...(report.podIP === undefined ? {} : { podIP: report.podIP, podIPs: [{ ip: report.podIP }] }),
    startTime: rfc3339(report.startTime),
    containerStatuses: report.containers.map(containerStatus),
    qosClass: 'BestEffort',
  };
}

function containerStatus(report: ContainerReport): object {
  const { state, lastExit } = report;
  const running = state.kind === 'running';
  return {
    name: report.name,
    image: report.image,
    imageID: '',
    restartCount: report.restartCount,
    started: running,
    ready: running && state.ready,
    ...(running ? { containerID: `sandbox://${state.id}` } : {}),
    state: running
      ? { running: { startedAt: rfc3339(state.startedAt) } }
      : { waiting: { reason: state.reason, message: state.message } },
    lastState:
      lastExit === undefined
        ? {}
        : {
            terminated: {
              exitCode: lastExit.code,
              reason: lastExit.code === 0 ? 'Completed' : 'Error',
              startedAt: rfc3339(lastExit.startedAt),
              finishedAt: rfc3339(lastExit.finishedAt),
            },
          },
  };
}

/** With whole seconds, as every time of the API. */
function rfc3339(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
