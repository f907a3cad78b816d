import type { SpokenProtocol } from '../endpoints/port-protocols.ts';
import type { ServiceFacts } from '../endpoints/service-facts.ts';
import { profileOf, type ShapedProfile } from './profile-of.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyTable } from './policy-table.ts';
import type { RoutePolicy } from './route-policy.ts';
import type { ServerSettings } from './server-settings.ts';
import { wayProtocol } from './way-protocol.ts';

/** What becomes of a path of an object to a Service, by what is said of both. */
export type JoinedPolicy =
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'open';
      readonly rule?: string;
      readonly profile?: ShapedProfile;
      readonly server?: ServerSettings;
      /** What the port says of what its servers speak, as far as that counts. */
      readonly protocol?: SpokenProtocol;
      /** Who says lines in HAProxy's own language. */
      readonly snippetBy?: 'route' | 'service';
    };

const snippet: keyof PolicyFields = 'configBackend';
const pathTopics = policyTable.filter(({ pathShape }) => pathShape !== undefined);

/**
 * What a Service says of the way to it goes before what those say who route to it, and that before what follows from the Service's own fields
 * (`facts`).
 *
 * @param way the path of the object, and the Service's port as it is named there
 */
export function joinPolicies(
  route: RoutePolicy | undefined,
  service: RoutePolicy | undefined,
  { path, port }: { readonly path: string; readonly port?: string | number | undefined },
  facts: ServiceFacts = {},
): JoinedPolicy {
  if (route?.closed === true || service?.closed === true) return { kind: 'closed' };
  const rule = route?.rule === undefined ? {} : { rule: route.rule };
  const own = route?.profile?.shape ?? {};
  const byPath = pathTopics.flatMap(({ name, pathShape }) =>
    own[name] === undefined ? [] : [[`${name}Path`, pathShape?.(path)] as const],
  );
  const profile =
    service?.profile === undefined && facts.shape === undefined && byPath.length === 0
      ? route?.profile
      : profileOf({ ...facts.shape, ...own, ...service?.profile?.shape, ...Object.fromEntries(byPath) });
  const server = (route?.server ?? service?.server) && { ...route?.server, ...service?.server };
  const protocol = wayProtocol(port === undefined ? undefined : facts.protocols?.get(port), server);
  const snippetBy =
    service?.profile?.shape[snippet] !== undefined
      ? 'service'
      : own[snippet] === undefined
        ? undefined
        : 'route';
  return {
    kind: 'open',
    ...rule,
    ...(profile && { profile }),
    ...(server && { server }),
    ...(protocol && { protocol }),
    ...(snippetBy && { snippetBy }),
  };
}
