import type { Backend, Plan } from '../protocol/plan.ts';
import { profileFacts } from './profile-facts.ts';
import type { ServerSetting } from './server-add.ts';

/** What the servers of this backend inherit and live under in this plan, HAProxy's defaults included. */
export function serverSetting(plan: Plan, backend: Backend): ServerSetting {
  const inherited = profileFacts(plan, backend.profile);
  return {
    backend,
    balance: backend.balance ?? inherited.balance ?? 'roundrobin',
    hashType: backend.hashType ?? inherited.hashType ?? 'map-based',
    inherited: inherited.defaultServer,
  };
}
