import type { KubeObject } from '../../api/kube-object.ts';
import type { TemplateConfig } from '../../api/template-config.ts';
import { parseDuration } from '../../lib/duration.ts';
import { isRecord } from '../../lib/is-record.ts';

type Election = TemplateConfig['controller']['leaderElection'];

/** As the API fills them in. */
const defaults: Election = {
  enabled: true,
  leaseName: 'haptic-leader',
  leaseDuration: '15s',
  renewDeadline: '10s',
  retryPeriod: '2s',
};

/**
 * The election that a HAProxyTemplateConfig asks for which is refused for something else: whoever leads tells people what is wrong
 * with it. The API has checked these fields; an API that did not gives the defaults.
 */
export function electionOf({ spec }: KubeObject): Election {
  const controller = isRecord(spec) ? spec['controller'] : undefined;
  const given = isRecord(controller) ? controller['leaderElection'] : undefined;
  if (!isRecord(given)) return defaults;
  const text = (field: Exclude<keyof Election, 'enabled'>): string => {
    const value = given[field];
    return typeof value === 'string' && value !== '' ? value : defaults[field];
  };
  const named = { enabled: given['enabled'] !== false, leaseName: text('leaseName') };
  const times = {
    leaseDuration: text('leaseDuration'),
    renewDeadline: text('renewDeadline'),
    retryPeriod: text('retryPeriod'),
  };
  return { ...defaults, ...named, ...(areInOrder(times) && times) };
}

function areInOrder({
  leaseDuration,
  renewDeadline,
  retryPeriod,
}: Pick<Election, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>): boolean {
  try {
    const [lease = 0, renew = 0, retry = 0] = [leaseDuration, renewDeadline, retryPeriod].map((text) =>
      parseDuration(text, 'controller.leaderElection'),
    );
    return lease > renew && renew > retry && retry > 0;
  } catch {
    return false;
  }
}
