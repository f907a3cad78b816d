import { optionTable } from './option-table.ts';

/** Options of `server` and its kin, and how many words follow each. */
export const serverOptions: ReadonlyMap<string, number> = optionTable(
  `
  agent-check allow-0rtt backup check check-reuse-pool check-send-proxy check-sni-auto check-ssl check-via-socks4 disabled enabled
  force-sslv3 force-tlsv10 force-tlsv11 force-tlsv12 force-tlsv13 no-agent-check no-backup no-check no-check-reuse-pool
  no-check-send-proxy no-check-sni-auto no-check-ssl no-renegotiate no-send-proxy no-send-proxy-v2 no-send-proxy-v2-ssl
  no-send-proxy-v2-ssl-cn no-sni-auto no-ssl no-ssl-reuse no-sslv3 no-tfo no-tls-tickets no-tlsv10 no-tlsv11 no-tlsv12 no-tlsv13
  non-stick renegotiate send-proxy send-proxy-v2 send-proxy-v2-ssl send-proxy-v2-ssl-cn sni-auto ssl ssl-reuse stick
  strict-maxconn tfo tls-tickets
`,
  `
  addr agent-addr agent-inter agent-port agent-send alpn ca-file cc check-alpn check-pool-conn-name check-proto check-sni ciphers
  ciphersuites client-sigalgs cookie crl-file crt curves downinter error-limit fall fastinter guid hash-key healthcheck id
  idle-ping init-addr init-state inter interface ktls log-bufsize log-proto max-reuse maxconn maxqueue minconn namespace npn
  observe on-error on-marked-down on-marked-up pool-conn-name pool-low-conn pool-max-conn pool-purge-delay port proto
  proxy-v2-options quic-cc-algo redir resolve-net resolve-opts resolve-prefer resolvers rise set-proxy-v2-tlv-fmt shard sigalgs
  slowstart sni socks4 source ssl-max-ver ssl-min-ver tcp-md5sig tcp-ut track usesrc verify verifyhost weight ws
`,
);
