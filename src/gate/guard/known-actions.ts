/** What rules can do (`http-request …`, `tcp-response content …`), without arguments in parentheses and numbers of counters. */
export const knownActions: ReadonlySet<string> = new Set(
  `
  accept add-acl add-header add-headers-bin allow attach-srv auth cache-store cache-use capture close del-acl del-header
  del-headers-bin del-map deny dgram-drop disable-l7-retry do-log do-resolve early-hint expect-netscaler-cip expect-proxy
  inspect-delay normalize-uri ot-group pause redirect reject replace-header replace-path replace-pathq replace-uri replace-value
  return sc-add-gpc sc-inc-gpc sc-inc-gpc0 sc-inc-gpc1 sc-set-gpt sc-set-gpt0 send-spoe-group set-bandwidth-limit set-bc-mark
  set-bc-tos set-dst set-dst-port set-fc-mark set-fc-tos set-header set-headers-bin set-log-level set-map set-mark set-method
  set-nice set-path set-pathq set-priority-class set-priority-offset set-query set-retries set-src set-src-port set-status
  set-timeout set-tos set-uri set-var set-var-fmt silent-drop strict-mode switch-mode tarpit track-sc unset-var use-service
  wait-for-body wait-for-handshake
`
    .trim()
    .split(/\s+/),
);
