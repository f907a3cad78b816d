import { optionTable } from './option-table.ts';

/** Options of `bind` and its kin, and how many words follow each. */
export const bindOptions: ReadonlyMap<string, number> = optionTable(
  `
  accept-proxy allow-0rtt defer-accept force-sslv3 force-tlsv10 force-tlsv11 force-tlsv12 force-tlsv13 generate-certificates
  no-alpn no-ca-names no-sslv3 no-strict-sni no-tls-tickets no-tlsv10 no-tlsv11 no-tlsv12 no-tlsv13 prefer-client-ciphers
  quic-force-retry ssl strict-sni tfo tls-tickets transparent v4v6 v6only
`,
  `
  accept-netscaler-cip alpn backlog ca-file ca-ignore-err ca-sign-file ca-sign-pass ca-verify-file cc ciphers ciphersuites
  client-sigalgs crl-file crt crt-ignore-err crt-list curves default-crt ecdhe ech expose-fd gid group guid-prefix id idle-ping
  interface ktls label level maxconn mode mss name namespace nbconn nice npn process proto quic-cc-algo quic-socket
  severity-output shards sigalgs ssl-max-ver ssl-min-ver tcp-md5sig tcp-ss tcp-ut thread tls-ticket-keys uid user verify
`,
);
