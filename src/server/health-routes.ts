import type { FastifyPluginCallback } from 'fastify';
import type { Health, HealthCheck } from './health.ts';

/**
 * `/livez`, `/readyz` and `/healthz` (= `/livez`), as the Kubernetes API server has them: 200 `ok`, or 503 with the failed
 * checks; `?verbose` lists all checks either way.
 */
export const healthRoutes: FastifyPluginCallback<{ health: Health }> = (app, { health }, done) => {
  const probe = (path: string, checks: readonly HealthCheck[]): void => {
    app.get<{ Querystring: { verbose?: string } }>(path, (request, reply) => {
      const results = checks.map((check) => ({ name: check.name, failure: check.failure() }));
      const failed = results.filter((result) => result.failure !== undefined);
      const listed = request.query.verbose === undefined ? failed : results;
      const lines = listed.map(({ name, failure }) =>
        failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
      );
      const summary = failed.length === 0 ? 'ok' : `${path.slice(1)} check failed`;
      // Kubelets do not keep connections; whoever else does costs memory.
      return reply
        .header('connection', 'close')
        .code(failed.length === 0 ? 200 : 503)
        .type('text/plain')
        .send(`${[...lines, summary].join('\n')}\n`);
    });
  };
  probe('/livez', health.live);
  probe('/healthz', health.live);
  probe('/readyz', health.ready);
  done();
};
