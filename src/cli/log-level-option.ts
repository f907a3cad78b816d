/** Levels of the log, in any case. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const logLevelOption = {
  value: 'LEVEL',
  summary: 'trace, debug, info, warn, error, fatal or silent',
  env: 'LOG_LEVEL',
  default: 'info',
} as const;
