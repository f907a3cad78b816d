/** What is said of how clients come to a host by HTTPS. */
export interface HttpsSettings {
  /** Whether requests over plain HTTP are sent to HTTPS, and by which status. */
  readonly sslRedirect?: boolean;
  readonly sslRedirectCode?: number;
  /** Whether clients are told to come by HTTPS only, for how many seconds, and what else. */
  readonly hsts?: boolean;
  readonly hstsMaxAge?: number;
  readonly hstsIncludeSubdomains?: boolean;
  readonly hstsPreload?: boolean;
}
