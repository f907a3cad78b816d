import type { Subscription } from 'rxjs';
import { type Observable, BehaviorSubject, catchError, concatMap, of, timer } from 'rxjs';
import type { Logger } from 'pino';
import type { CertificatePolicy } from '../certificates/certificate-policy.ts';
import type { CertificateStore } from '../certificates/certificate-store.ts';
import { renewCertificates } from '../certificates/renew-certificates.ts';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { tlsMaterial, type TlsMaterial } from '../lib/tls/tls-material.ts';
import { abortable } from '../operators/abortable.ts';
import type { WebhookIdentity } from './webhook-tls.ts';

export interface SelfIssuedIdentity extends WebhookIdentity {
  /** The certificate in use, and every later one; undefined while there is none. */
  readonly material$: Observable<TlsMaterial | undefined>;
  readonly running: Subscription;
}

export interface SelfIssuedDeps {
  readonly store: CertificateStore;
  /** `serverName` is the DNS name under which API servers know the webhook. */
  readonly policy: CertificatePolicy;
  /** Milliseconds between two looks: others may have renewed it. */
  readonly every: number;
  readonly now: () => number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly onFatal: (error: unknown) => void;
}

/**
 * A certificate that this program issues for itself, kept where other replicas find it. Renewed in time; a new authority is believed
 * beside the former one for a while, by whoever takes both from the material's trust. What cannot be read or written leaves the
 * present one in use, and is told once for each reason.
 */
export function selfIssuedIdentity(deps: SelfIssuedDeps): SelfIssuedIdentity {
  const { policy, now, log, every } = deps;
  const store = withoutClient(deps.store);
  const material$ = new BehaviorSubject<TlsMaterial | undefined>(undefined);
  let problem = '';
  const renew = async (): Promise<void> => {
    for (const { holder, reason, notAfter } of await renewCertificates({ store, policy, now }))
      if (holder !== 'client') log.info({ holder, reason, notAfter }, 'webhook certificate issued');
    const held = await store.read('server');
    const material = tlsMaterial(held?.files ?? {}, now(), 'the certificate of the webhook');
    if (material.id !== material$.value?.id) material$.next(material);
    problem = '';
  };
  const running = timer(0, every)
    .pipe(
      // One after another, none is left out: a look is short.
      concatMap(() =>
        abortable(() => renew()).pipe(
          catchError((error: unknown) => {
            const reason = errorMessage(error);
            if (reason !== problem) log.warn({ reason }, 'webhook certificate could not be looked after');
            problem = reason;
            return of(undefined);
          }),
        ),
      ),
    )
    .subscribe({ error: deps.onFatal });
  return {
    current: () => {
      const material = material$.value;
      if (material === undefined)
        throw new CodedError('HAPTIC_ERR_TLS_MATERIAL', 'there is no certificate for the webhook yet');
      return material;
    },
    material$,
    running,
  };
}

/** API servers show no certificate, so there is nothing to keep for a client. */
function withoutClient(store: CertificateStore): CertificateStore {
  let client: Readonly<Record<string, string>> | undefined;
  return {
    read: (holder) =>
      holder === 'client'
        ? Promise.resolve(client === undefined ? undefined : { files: client, revision: '' })
        : store.read(holder),
    write: (holder, files, revision) => {
      if (holder !== 'client') return store.write(holder, files, revision);
      client = files;
      return Promise.resolve(true);
    },
  };
}
