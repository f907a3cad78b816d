/**
 * What a HAProxy pod starts with before its first delivery: the worker's socket that its agent speaks to, and 503 for
 * everything on the address that the real configuration will take over.
 *
 * @param baseDir folder of the configuration and of all its relative paths
 * @param bind `address:port` of HTTP
 */
export function bootstrapConfig(baseDir: string, bind: string): string {
  return `global
  default-path origin ${baseDir}
  stats socket ${baseDir}/haproxy-worker.sock mode 600 level admin
  hard-stop-after 10s

defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 1s

frontend bootstrap
  bind ${bind}
  http-request return status 503
`;
}
