/**
 * Words by which a line of a section begins, of all sections and all HAProxy lines that are supported: those that HAProxy lists (`-dKall`), and
 * those that it reads by itself. What is special about some of them stands in `judgeLine`.
 */
export const knownDirectives: ReadonlySet<string> = new Set(
  `
  accepted_payload_size account-key acl acme acme-vars acme.scheduler anonkey appsession backend backing-file backlog balance
  be-unpublished bind bits block busy-polling ca-base cache capture challenge challenge-ready chroot clitcpka-cnt clitcpka-idle
  clitcpka-intvl clitimeout close-spread-time cluster-secret command compression contact contimeout cookie cpu-affinity cpu-map
  cpu-policy cpu-set crt-base crt-store curves daemon declare default-bind default-path default-server default_backend defaults
  desc description dgram-bind directory disabled dispatch dns-accept-family dns-delay dns-timeout docroot dynamic-cookie-key
  eab-key-id eab-mac-alg eab-mac-key early-hints email-alert enabled error-log-format errorfile errorfiles errorloc errorloc302
  errorloc303 expose-deprecated-directives expose-experimental-directives external-check fcgi-app filter force-be-switch
  force-cfg-parser-pause force-persist format frontend fullconn gid global grace group guid h1-accept-payload-with-any-method
  h1-case-adjust h1-case-adjust-file h1-do-not-close-on-insecure-transfer-encoding hard-stop-after
  harden.reject-privileged-ports.quic harden.reject-privileged-ports.tcp hash-balance-factor hash-preserve-affinity hash-type
  healthcheck hide-header hold http-after-response http-check http-err-codes http-error http-errors http-fail-codes http-request
  http-response http-reuse http-send-name-header httpclient.resolvers.disabled httpclient.resolvers.id httpclient.resolvers.prefer
  httpclient.retries httpclient.ssl.ca-file httpclient.ssl.verify httpclient.timeout.connect id ignore-persist index
  insecure-fork-wanted insecure-setuid-wanted issuers-chain-path jwt.allow_none_alg jwt.decrypt_alg_list jwt.decrypt_enc_list
  key-base keytype limited-quic listen load load-server-state-from-file localpeer log log-format log-format-sd log-forward
  log-profile log-send-hostname log-stderr log-steps log-tag lua-load lua-load-per-thread lua-prepend-path mailer mailers map
  master-worker max-age max-keep-alive-queue max-object-size max-secondary-entries max-session-srv-conns max-spread-checks
  max-threads-per-group maxcompcpuusage maxcomprate maxconn maxconnrate maxlen maxpipes maxsessrate maxsslconn maxsslrate
  maxzlibmem mode monitor monitor-net monitor-uri mworker-max-reloads nameserver namespace namespace_list nbproc nbthread
  no-memory-trimming node noepoll noevports nogetaddrinfo nokqueue noktls nopoll noreuseport nosplice numa-cpu-mapping
  ocsp-update.disable ocsp-update.httpproxy ocsp-update.maxdelay ocsp-update.mindelay ocsp-update.mode on option parse-resolv-conf
  pass-header path-info peer peers persist pidfile pp2-never-send-local prealloc-fd presetenv process-vary profile profiling.tasks
  program provider-name quic-initial quiet rate-limit redirect resetenv resolution_pool_size resolve_retries resolvers retries
  retry-on reuse-key ring server server-state-base server-state-file server-state-file-name server-template set-dumpable set-param
  set-var set-var-fmt setcap setenv shards shm-stats-file shm-stats-file-max-objects size sni source spread-checks srvtcpka-cnt
  srvtcpka-idle srvtcpka-intvl srvtimeout ssl-default-bind-ciphers ssl-default-bind-ciphersuites ssl-default-bind-client-sigalgs
  ssl-default-bind-curves ssl-default-bind-options ssl-default-bind-sigalgs ssl-default-server-ciphers
  ssl-default-server-ciphersuites ssl-default-server-client-sigalgs ssl-default-server-curves ssl-default-server-options
  ssl-default-server-sigalgs ssl-dh-param-file ssl-engine ssl-f-use ssl-load-extra-del-ext ssl-load-extra-files ssl-mode-async
  ssl-passphrase-cmd ssl-propquery ssl-provider ssl-provider-path ssl-security-level ssl-server-verify ssl-skip-self-issued-ca
  stats stats-file stick stick-table stress-level strict-limits table tcp-check tcp-request tcp-response thread-group
  thread-groups thread-hard-limit timeout total-max-size trace traces transparent tune.applet.zero-copy-forwarding
  tune.buffers.limit tune.buffers.reserve tune.bufsize tune.bufsize.large tune.bufsize.small tune.chksize
  tune.cli.max-payload-size tune.comp.maxlevel tune.defaults.purge tune.disable-fast-forward tune.disable-zero-copy-forwarding
  tune.epoll.mask-events tune.events.max-events-at-once tune.fail-alloc tune.fd.edge-triggered tune.glitches.kill.cpu-usage
  tune.h1.be.glitches-threshold tune.h1.fe.glitches-threshold tune.h1.zero-copy-fwd-recv tune.h1.zero-copy-fwd-send
  tune.h2.be.glitches-threshold tune.h2.be.initial-window-size tune.h2.be.max-concurrent-streams tune.h2.be.max-frames-at-once
  tune.h2.be.rxbuf tune.h2.fe.glitches-threshold tune.h2.fe.initial-window-size tune.h2.fe.max-concurrent-streams
  tune.h2.fe.max-frames-at-once tune.h2.fe.max-rst-at-once tune.h2.fe.max-total-streams tune.h2.fe.rxbuf tune.h2.header-table-size
  tune.h2.initial-window-size tune.h2.log-errors tune.h2.max-concurrent-streams tune.h2.max-frame-size tune.h2.zero-copy-fwd-send
  tune.http.cookielen tune.http.logurilen tune.http.maxhdr tune.idle-pool.shared tune.idletimer tune.listener.default-shards
  tune.listener.multi-queue tune.lua.bool-sample-conversion tune.lua.burst-timeout tune.lua.forced-yield tune.lua.log.loggers
  tune.lua.log.stderr tune.lua.maxmem tune.lua.openlibs tune.lua.service-timeout tune.lua.session-timeout tune.lua.task-timeout
  tune.max-checks-per-thread tune.max-rules-at-once tune.maxaccept tune.maxpollevents tune.maxrewrite tune.memory.hot-size
  tune.notsent-lowat.client tune.notsent-lowat.server tune.pattern.cache-size tune.peers.max-updates-at-once tune.pipesize
  tune.pool-high-fd-ratio tune.pool-low-fd-ratio tune.pt.zero-copy-forwarding tune.quic.backend.max-idle-timeou
  tune.quic.be.cc.cubic-min-losses tune.quic.be.cc.hystart tune.quic.be.cc.max-frame-loss tune.quic.be.cc.max-win-size
  tune.quic.be.cc.reorder-ratio tune.quic.be.max-idle-timeout tune.quic.be.sec.glitches-threshold tune.quic.be.stream.data-ratio
  tune.quic.be.stream.max-concurrent tune.quic.be.stream.rxbuf tune.quic.be.tx.pacing tune.quic.be.tx.udp-gso tune.quic.cc-hystart
  tune.quic.cc.cubic.min-losses tune.quic.disable-tx-pacing tune.quic.disable-udp-gso tune.quic.fe.cc.cubic-min-losses
  tune.quic.fe.cc.hystart tune.quic.fe.cc.max-frame-loss tune.quic.fe.cc.max-win-size tune.quic.fe.cc.reorder-ratio
  tune.quic.fe.max-idle-timeout tune.quic.fe.sec.glitches-threshold tune.quic.fe.sec.retry-threshold tune.quic.fe.sock-per-conn
  tune.quic.fe.stream.data-ratio tune.quic.fe.stream.max-concurrent tune.quic.fe.stream.max-total tune.quic.fe.stream.rxbuf
  tune.quic.fe.tx.pacing tune.quic.fe.tx.udp-gso tune.quic.frontend.conn-tx-buffers.limit
  tune.quic.frontend.default-max-window-size tune.quic.frontend.glitches-threshold tune.quic.frontend.max-data-size
  tune.quic.frontend.max-idle-timeout tune.quic.frontend.max-streams-bidi tune.quic.frontend.max-tx-mem
  tune.quic.frontend.stream-data-ratio tune.quic.listen tune.quic.max-frame-loss tune.quic.mem.tx-max tune.quic.reorder-ratio
  tune.quic.retry-threshold tune.quic.socket-owner tune.quic.zero-copy-fwd-send tune.rcvbuf.backend tune.rcvbuf.client
  tune.rcvbuf.frontend tune.rcvbuf.server tune.recv_enough tune.renice.runtime tune.renice.startup tune.ring.queues
  tune.runqueue-depth tune.sched.low-latency tune.sndbuf.backend tune.sndbuf.client tune.sndbuf.frontend tune.sndbuf.server
  tune.ssl.cachesize tune.ssl.capture-buffer-size tune.ssl.capture-cipherlist-size tune.ssl.certificate-compression
  tune.ssl.default-dh-param tune.ssl.force-private-cache tune.ssl.hard-maxrecord tune.ssl.keylog tune.ssl.keyupdate-rate-limit
  tune.ssl.lifetime tune.ssl.maxrecord tune.ssl.ocsp-update.maxdelay tune.ssl.ocsp-update.mindelay tune.ssl.ssl-ctx-cache-size
  tune.stick-counters tune.streams-elasticity tune.takeover-other-tg-connections tune.vars.check-max-size
  tune.vars.global-max-size tune.vars.proc-max-size tune.vars.reqres-max-size tune.vars.sess-max-size tune.vars.txn-max-size type
  uid ulimit-n unique-id-format unique-id-header unix-bind unset-param unsetenv use-fcgi-app use-server use_backend user userlist
  usesrc warn-blocked-traffic-after zero-warning
`
    .trim()
    .split(/\s+/),
);
