import { askAccess, type Permission, permissionText } from '../ask-access.ts';
import type { Finding } from '../finding.ts';
import type { Placed } from './kinds-of.ts';
import type { Cluster } from './preflight-facts.ts';

const check = 'rights';
/** What Helm does to each object of a release in the course of its life. */
const verbs = ['get', 'create', 'patch', 'delete'];
/** How Helm remembers releases. */
const ofHelm = ['get', 'list', 'create', 'update', 'delete'];

/** May you do what Helm will do in your name? */
export async function checkRights(
  { transport, namespace: there }: Cluster,
  objects: readonly Placed[],
  namespace: string,
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const wanted = new Map<string, Permission>();
  const want = (permission: Permission) => void wanted.set(permissionText(permission), permission);
  for (const { group, ref } of objects)
    for (const verb of verbs)
      want({
        ...{ group, resource: ref.resources, verb },
        ...(ref.namespace !== undefined && { namespace: ref.namespace }),
      });
  for (const verb of ofHelm) want({ group: '', resource: 'secrets', verb, namespace });
  if (there === undefined) want({ group: '', resource: 'namespaces', verb: 'create' });
  const answer = await askAccess(transport, [...wanted.values()], signal);
  if (!answer.ok)
    return [{ check, status: 'skipped', message: `they cannot be asked for: ${answer.reason}` }];
  if (answer.refused.length === 0)
    return [{ check, status: 'ok', message: `you may do all ${wanted.size} things that helm will do` }];
  const byWhat = new Map<string, string[]>();
  for (const { verb, ...permission } of answer.refused) {
    const what = permissionText({ ...permission, verb: '' }).trim();
    byWhat.set(what, [...(byWhat.get(what) ?? []), verb]);
  }
  return [...byWhat].map(([what, refused]) => ({
    check,
    status: 'failed',
    message: `you may not ${refused.join(', ')} ${what}`,
    advice: 'let somebody install it who may, or have the right given to you',
  }));
}
