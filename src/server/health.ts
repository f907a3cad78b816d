/** One named condition of a probe, asked at every request. */
export interface HealthCheck {
  readonly name: string;
  /** Undefined: fine. Else why not. */
  readonly failure: () => string | undefined;
}

export interface Health {
  /** The process can do its work at all: fails only when a restart would help. */
  readonly live: readonly HealthCheck[];
  /** The process does its work: watched resources are there and a first render was accepted. */
  readonly ready: readonly HealthCheck[];
}
