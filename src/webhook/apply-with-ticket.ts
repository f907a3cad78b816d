import type { KubeObject } from '../api/kube-object.ts';
import { applyObject } from '../kube/apply-object.ts';
import type { KubeResult } from '../kube/kube-failure.ts';
import type { KubeTransport } from '../kube/kube-transport.ts';
import { withTicket } from './with-ticket.ts';

/**
 * Writes a ValidatingWebhookConfiguration with its own uid as the ticket for configurations: all controllers learn the same one, it lasts as
 * long as the object, and whoever may read it could read every other ticket, too.
 *
 * @param learnt is told the ticket before any API server shows it
 */
export async function applyWithTicket(
  transport: KubeTransport,
  object: KubeObject,
  learnt: (ticket: string) => void,
  signal: AbortSignal,
): Promise<KubeResult<KubeObject>> {
  const { apiVersion, kind, metadata } = object;
  // By another manager than below: what that one wrote stays.
  const looked = await applyObject(
    transport,
    { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }), metadata },
    'haptic-webhook-ticket',
    { force: true, signal },
  );
  if (!looked.ok) return looked;
  const { uid } = looked.value.metadata;
  if (uid === undefined)
    return { ok: false, failure: { kind: 'protocol', message: `${metadata.name} has no uid` } };
  learnt(uid);
  return applyObject(transport, withTicket(object, uid), 'haptic-webhook', { force: true, signal });
}
