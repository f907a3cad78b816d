import type { FastifyServerOptions } from 'fastify';

/**
 * For servers whose routes have no schemas: fastify loads its compilers of validators and serializers when it is made, for 3 MiB that an
 * agent in every pod can do without. A route with a schema fails at start.
 */
export const withoutSchemas: Pick<FastifyServerOptions, 'schemaController'> = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
};

function refuse(): never {
  throw new Error('the agent’s routes have no schemas');
}
