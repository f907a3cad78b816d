import type { BackendRef } from '../backend-ref.ts';
import type { ServerCheck } from '../model.ts';
import { healthChecks } from '../policies/topics/health-checks.ts';

/** How servers are checked, by what is said on their lines and in their profile, which has what they are asked; any word of it turns checks on. Undefined: they are not. */
export function serverCheck({
  server = {},
  profile,
}: Pick<BackendRef, 'server' | 'profile'>): ServerCheck | undefined {
  const {
    healthCheckInterval: interval,
    healthCheckRiseCount: rise,
    healthCheckFallCount: fall,
    healthCheckPort: port,
  } = server;
  const isSaid = [interval, rise, fall, port].some((value) => value !== undefined);
  if (!isSaid && profile?.shape[healthChecks.name] === undefined) return undefined;
  return {
    interval: interval ?? '2s',
    rise: rise ?? 2,
    fall: fall ?? 3,
    ...(port !== undefined && { port }),
  };
}
