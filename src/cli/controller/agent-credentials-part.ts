import { distinctUntilChanged, finalize, map, of, switchMap } from 'rxjs';
import { openStream } from '../../kube/open-stream.ts';
import { agentCredentials } from '../../streams/agent-credentials.ts';
import type { ControllerPart } from '../../world/controller-runtime.ts';
import type { ChangingLogin } from '../agent-login.ts';
import { tellWatch } from './tell-watch.ts';

/**
 * Follows the Secret of `credentialsSecretRef` of the configuration at work; without one, the credentials of the environment count. While
 * the Secret is not usable, those that were known last stay.
 */
export function agentCredentialsPart(login: Pick<ChangingLogin, 'set'>): ControllerPart {
  return ({ world$, identity, transport, stop$, log, metrics, onFatal }) =>
    world$
      .pipe(
        map(({ config }) => config.credentialsSecretRef),
        map((ref) =>
          ref === undefined ? undefined : { namespace: ref.namespace ?? identity.namespace, name: ref.name },
        ),
        distinctUntilChanged((a, b) => a?.namespace === b?.namespace && a?.name === b?.name),
        // A source: the watch of a former Secret is of no use.
        switchMap((secret) =>
          secret === undefined
            ? of(undefined)
            : agentCredentials(
                {
                  open: openStream(transport),
                  random: Math.random,
                  notice: tellWatch(log, metrics),
                  stop$,
                },
                secret,
              ).pipe(finalize(() => metrics.watchDegraded.remove({ type: 'agent-credentials' }))),
        ),
      )
      .subscribe({
        next: (credentials) => {
          if (credentials?.kind === 'unusable')
            log.warn({ reason: credentials.message }, 'credentials of the agents are not usable');
          else {
            login.set(credentials);
            log.info({ fromSecret: credentials !== undefined }, 'credentials of the agents are known');
          }
        },
        error: onFatal,
      });
}
