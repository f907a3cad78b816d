import type { Collection, Graph } from '../../collections/types.ts';
import type { AuthRequest } from '../model.ts';
import type { ServiceWay } from './create-service-ways.ts';
import type { ObjectSettings } from './create-policies.ts';
import { ruleOf } from './rule-of.ts';

/** What is asked about the requests of a rule, by rule. */
export function createAuthRequests(
  graph: Graph,
  settings: Collection<ObjectSettings>,
  ways: Collection<ServiceWay>,
): Collection<AuthRequest> {
  return graph.flatMapEntries(
    'authRequests',
    settings,
    ({ fields, owner }, key, reader) => {
      const way = reader.read(ways, `${key} auth-url`);
      if (fields.authUrl === undefined || way === undefined) return [];
      const rule = ruleOf(owner);
      const request: AuthRequest = {
        rule,
        backend: way.backend,
        method: fields.authMethod ?? 'GET',
        host: way.host,
        path: fields.authUrl.path,
        asked: fields.authHeadersRequest ?? ['*'],
        passed: fields.authHeadersSucceed ?? [],
        shown: fields.authHeadersFail ?? ['*'],
        ...(fields.authSignin !== undefined && { signin: fields.authSignin }),
        owner,
      };
      return [[rule, request] as const];
    },
    { reads: [ways], ownerOf: ({ owner }) => owner },
  );
}
