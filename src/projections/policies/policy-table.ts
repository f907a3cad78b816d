import type { PolicyTopic } from './policy-topic.ts';
import { affinity } from './topics/affinity.ts';
import { backendTls } from './topics/backend-tls.ts';
import { clientCertificates } from './topics/client-certificates.ts';
import { balance } from './topics/balance.ts';
import { healthChecks } from './topics/health-checks.ts';
import { retries } from './topics/retries.ts';
import { serverLimits } from './topics/server-limits.ts';
import { basicAuth } from './topics/basic-auth.ts';
import { bodySize } from './topics/body-size.ts';
import { cors } from './topics/cors.ts';
import { caching } from './topics/caching.ts';
import { canary } from './topics/canary.ts';
import { compression } from './topics/compression.ts';
import { errorPages } from './topics/error-pages.ts';
import { externalAuth } from './topics/external-auth.ts';
import { headers } from './topics/headers.ts';
import { httpsOnly } from './topics/https-only.ts';
import { logging } from './topics/logging.ts';
import { mirroring } from './topics/mirroring.ts';
import { otherHosts } from './topics/other-hosts.ts';
import { pathRewrites } from './topics/path-rewrites.ts';
import { redirects } from './topics/redirects.ts';
import { rewrites } from './topics/rewrites.ts';
import { snippets } from './topics/snippets.ts';
import { jwt } from './topics/jwt.ts';
import { limits } from './topics/limits.ts';
import { sources } from './topics/sources.ts';
import { timeouts } from './topics/timeouts.ts';
import { tlsHosts } from './topics/tls-hosts.ts';

/** All that can be said of routes and backends, in the order of the documentation. */
export const policyTable: readonly PolicyTopic[] = [
  timeouts,
  balance,
  affinity,
  healthChecks,
  retries,
  serverLimits,
  cors,
  httpsOnly,
  tlsHosts,
  clientCertificates,
  backendTls,
  redirects,
  otherHosts,
  rewrites,
  pathRewrites,
  headers,
  canary,
  mirroring,
  compression,
  caching,

  errorPages,
  logging,
  snippets,
  sources,
  limits,
  bodySize,
  basicAuth,
  externalAuth,
  jwt,
];
