import { apiGroup } from '../../api/api-group.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { KubeClient } from '../../kube/kube-client.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { record, records, textOf } from '../fields.ts';
import type { Finding } from '../finding.ts';

const check = 'published';

/** What the controller has published: is a render refused, are pods kept on an older one, which pods are behind and why? */
export async function checkPublished(
  kube: KubeClient,
  {
    configName,
    namespace,
    signal,
  }: { readonly configName: string; readonly namespace: string; readonly signal: () => AbortSignal },
): Promise<readonly Finding[]> {
  const ref = { apiVersion: apiGroup.apiVersion, resources: 'haproxycfgs', namespace };
  const name = `${configName}-haproxycfg`;
  const [found, invalid] = await Promise.all([
    kube.get(ref, name, { signal: signal() }),
    kube.get(ref, `${name}-invalid`, { signal: signal() }),
  ]);
  const findings: Finding[] = [];
  if (invalid.ok)
    findings.push({
      check,
      status: 'failed',
      message: `HAProxy refuses the newest render: ${words(record(invalid.value['status'])['validationError'])}`,
      advice: `kubectl get hpcfg ${name}-invalid -n ${namespace} -o yaml has all of it; pods keep what they had`,
    });
  if (!found.ok) {
    const isMissing = found.failure.kind === 'http' && found.failure.status === 404;
    return [
      ...findings,
      isMissing
        ? {
            check,
            status: 'warning',
            message: `nothing is published: HAProxyCfg ${namespace}/${name} is not there`,
            advice: 'see whether somebody leads, and whether publishing is switched off',
          }
        : {
            check,
            status: 'skipped',
            message: `HAProxyCfg ${namespace}/${name}: ${describeFailure(found.failure)}`,
          },
    ];
  }
  findings.push(
    ...conditionsOf(found.value),
    ...records(record(found.value['status'])['deployedToPods']).flatMap(ofPod),
  );
  return findings.length > 0
    ? findings
    : [
        {
          check,
          status: 'ok',
          message: 'HAProxy accepts the newest render, and every pod that got one runs it',
        },
      ];
}

function conditionsOf({ status }: KubeObject): readonly Finding[] {
  const conditions = records(record(status)['conditions']);
  const find = (type: string, value: string) =>
    conditions.find((one) => one['type'] === type && one['status'] === value);
  const pinned = find('ConfigPinned', 'True');
  const hidden = find('Published', 'False');
  return [
    ...(pinned === undefined
      ? []
      : [
          {
            check,
            status: 'failed' as const,
            message: `pods are kept on an older render: ${words(pinned['message'])}`,
            advice: 'newer ones are refused: correct what the refusal names',
          },
        ]),
    ...(hidden === undefined
      ? []
      : [
          {
            check,
            status: 'warning' as const,
            message: `not all is shown (${textOf(hidden['reason'])}): ${words(hidden['message'])}`,
            advice: 'docs/published-state.md tells what each reason means',
          },
        ]),
  ];
}

function ofPod(pod: Readonly<Record<string, unknown>>): readonly Finding[] {
  const errors = pod['consecutiveErrors'];
  const name = textOf(pod['podName']);
  if (typeof errors === 'number' && errors > 0)
    return [
      {
        check,
        status: 'failed',
        message: `${name} is behind: ${words(pod['lastError'])} (${errors} times, last ${textOf(pod['lastErrorAt'])})`,
        advice: `kubectl logs ${name} -c agent tells its side`,
      },
    ];
  return [];
}

function words(value: unknown): string {
  const text = textOf(value).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? 'no reason is given' : text.slice(0, 1_000);
}
