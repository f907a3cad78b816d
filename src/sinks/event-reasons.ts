/** Reasons of Events that are not those of a problem of an object, or of a template's own. */
export const eventReasons = {
  /** An object: HAProxy refuses what it says. */
  quarantined: 'Quarantined',
  /** An object: it is in effect again. */
  quarantineEnded: 'QuarantineEnded',
  /** The configuration: a render was refused. */
  renderRefused: 'RenderRefusedByHAProxy',
  /** The configuration: a render was accepted after one was refused. */
  renderAccepted: 'RenderAcceptedByHAProxy',
  /** The configuration: a pod refuses what it is given. */
  applyRejected: 'ApplyRejected',
  /** The configuration: there is no render, and pods hold what was retained. */
  retainedActive: 'RetainedConfigActive',
  /** The configuration: there is no render, and new pods get nothing. */
  retainedUnavailable: 'RetainedConfigUnavailable',
} as const;
