import { profileOf, type ShapedProfile } from './profile-of.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyTable } from './policy-table.ts';
import type { PolicyShape } from './policy-shape.ts';
import type { RoutePolicy } from './route-policy.ts';
import type { ServerSettings } from './server-settings.ts';

/** What becomes of a path of an object to a Service, by what is said of both. */
export type JoinedPolicy =
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'open';
      readonly rule?: string;
      readonly profile?: ShapedProfile;
      readonly server?: ServerSettings;
      /** Who says lines in HAProxy's own language. */
      readonly snippetBy?: 'route' | 'service';
    };

const snippet: keyof PolicyFields = 'configBackend';
const pathTopics = policyTable.filter(({ pathShape }) => pathShape !== undefined);

/**
 * What a Service says of the way to it goes before what those say who route to it, and that before what follows from the Service's own fields
 * (`facts`).
 */
export function joinPolicies(
  route: RoutePolicy | undefined,
  service: RoutePolicy | undefined,
  path: string,
  facts?: PolicyShape,
): JoinedPolicy {
  if (route?.closed === true || service?.closed === true) return { kind: 'closed' };
  const rule = route?.rule === undefined ? {} : { rule: route.rule };
  const own = route?.profile?.shape ?? {};
  const byPath = pathTopics.flatMap(({ name, pathShape }) =>
    own[name] === undefined ? [] : [[`${name}Path`, pathShape?.(path)] as const],
  );
  const profile =
    service?.profile === undefined && facts === undefined && byPath.length === 0
      ? route?.profile
      : profileOf({ ...facts, ...own, ...service?.profile?.shape, ...Object.fromEntries(byPath) });
  const server = (route?.server ?? service?.server) && { ...route?.server, ...service?.server };
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
    ...(snippetBy && { snippetBy }),
  };
}
