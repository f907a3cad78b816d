/** What the configuration says for all that do not say it themselves, as far as other settings depend on it. */
export interface PolicyDefaults {
  readonly hsts: boolean;
  readonly sslRedirect: boolean;
}
