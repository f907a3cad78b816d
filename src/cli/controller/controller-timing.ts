/** Milliseconds, where nothing else is said. */
export const controllerTiming = {
  pipeline: {
    maxStaleRender: 500,
    checkDelay: 25,
    checkInterval: { leading: 1_000, standby: 10_000 },
    checkRetry: { min: 1_000, max: 30_000 },
  },
  /** Pods that are written to at the same time; of those that answered too late last time, half of that. */
  deliverySlots: { total: 16, suspects: 8 },
  deliveryRetry: { min: 100, max: 10_000 },
  probeRetry: { min: 100, max: 5_000 },
  driftSpread: 0.2,
  observeInterval: 1_000,
  /**
   * Plans that no pod is known to be on and that are kept nevertheless: a standby takes over from those of a lease duration ago.
   * They share what they have in common.
   */
  newestPlans: 64,
  /** Plans that HAProxy accepted and that are known as such. */
  rememberedAcceptances: 256,
  planKeepDelay: 5_000,
  recall: { total: 10_000, pod: 3_000 },
  /**
   * Of candidates: for how long newer ones supersede it, until one is tried again that was refused for a passing reason, and until the
   * kinds must be there that it watches.
   */
  loadGate: { maxStale: 30_000, retry: 10_000, sync: 60_000 },
  /** At the end of a leader: for what is under way, and for the answer of the API to giving the Lease back. */
  leadership: { drain: 5_000, release: 2_000 },
  /** Of what goes out, written down without an election. */
  intent: { pause: 2_000, retry: { min: 1_000, max: 60_000 } },
  statusRetry: { min: 500, max: 30_000 },
  /** For which a store is kept when no configuration looks at it any more. */
  storeKeep: 30_000,
  heartbeat: 15_000,
  /** After which a piece of work is stalled: a first render waits for reads (120 s) and HTTP content (30 s), a check for HAProxy (60 s). */
  stalled: { render: 300_000, check: 180_000, look: 10_000 },
  /** Of `/debug/events`. */
  rememberedEvents: 1_000,
  /** Of rendering, before the event loop gets its turn. */
  slice: 8,
} as const;
