/** What follows `option`. */
export const knownOptions: ReadonlySet<string> = new Set(
  `
  abortonclose accept-invalid-http-request accept-invalid-http-response accept-unsafe-violations-in-http-request
  accept-unsafe-violations-in-http-response allbackups assume-rfc6587-ntf checkcache clitcpka contstats disable-h2-upgrade
  dont-parse-log dontlog-normal dontlognull forceclose forwarded forwardfor get-values h1-case-adjust-bogus-client
  h1-case-adjust-bogus-server host http-buffer-request http-drop-request-trailers http-drop-response-trailers http-ignore-probes
  http-keep-alive http-no-delay http-pretend-keepalive http-restrict-req-hdr-names http-server-close http-tunnel http-use-htx
  http-use-proxy-header http_proxy httpchk httpclose httplog httpslog idle-close-on-response independent-streams keep-conn
  ldap-check log-health-checks log-separate-errors logasap mailers max-reqs mpxs-conns mysql-check nolinger originalto persist
  pgsql-check prefer-last-server redis-check redispatch smtpchk socket-stats splice-auto splice-request splice-response spop-check
  srvtcpka ssl-hello-chk tcp-check tcp-smart-accept tcp-smart-connect tcpka tcplog transparent use-small-buffers
`
    .trim()
    .split(/\s+/),
);
