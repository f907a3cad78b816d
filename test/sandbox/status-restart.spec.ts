import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { isRecord } from '../../src/lib/is-record.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { startSandboxTraffic, type SandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const haproxy = newestHaproxyLine();
const patience = { timeout: 60_000, interval: 200 };

describe.skipIf(haproxy === undefined)('statuses and Events of a sandbox with a real HAProxy', () => {
  let traffic: SandboxTraffic;
  beforeAll(async () => {
    const config = { controller: { publishAddresses: ['192.0.2.1'] } };
    traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '', config });
    const rules = [{ host: 'shop.test', paths: ['/'] }];
    const lost = [{ host: 'lost.test', paths: [{ path: '/', service: 'nobody' }] }];
    await traffic.put(service(), endpointSlice({ endpoints: ['127.0.0.1'] }));
    await traffic.put(ingress({ name: 'shop', rules }), ingress({ name: 'lost', rules: lost }));
  });
  afterAll(() => traffic.stop());

  const list = (resource: string): Promise<readonly KubeObject[]> =>
    firstValueFrom(traffic.sandbox.api.client.list(resource));
  const versions = async (): Promise<readonly string[]> =>
    [
      ...(await list('networking.k8s.io/v1/ingresses')),
      ...(await list('events.k8s.io/v1/events')),
      ...(await configs()),
    ]
      .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion ?? ''}`)
      .sort();
  const configs = () => list('haproxy-haptic.org/v1alpha1/haproxytemplateconfigs');
  const served = async (): Promise<string> => {
    const [config] = await configs();
    const status = config?.['status'];
    const conditions: unknown = isRecord(status) ? status['conditions'] : undefined;
    const found = (Array.isArray(conditions) ? conditions.filter(isRecord) : []).find(
      ({ type }) => type === 'ObjectsServed',
    );
    return `${String(found?.['reason'])}: ${String(found?.['message'])}`;
  };
  const addressesOf = async (name: string): Promise<unknown> => {
    const found = (await list('networking.k8s.io/v1/ingresses')).find(
      ({ metadata }) => metadata.name === name,
    );
    const balancer = isRecord(found?.['status']) ? found['status']['loadBalancer'] : undefined;
    return isRecord(balancer) ? balancer['ingress'] : undefined;
  };

  it('tell what is served and what is not, also in the status of the configuration', async () => {
    await expect.poll(() => addressesOf('shop'), patience).toStrictEqual([{ ip: '192.0.2.1' }]);
    await expect.poll(served, patience).toBe('ObjectsWithErrors: 1 with errors: Ingress shop/lost.');
    const events = await list('events.k8s.io/v1/events');
    expect(events.map(({ reason, note }) => `${String(reason)} ${String(note)}`)).toStrictEqual([
      'BackendMissing spec.rules[0].http.paths[0].backend.service.name: Service shop/nobody does not exist: answered with 503',
    ]);
  });

  it('are not written again by a controller that was killed and started again', async () => {
    const before = await versions();
    const pid = traffic.sandbox.controller.pid() ?? 0;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => traffic.sandbox.controller.restarts(), patience).toBe(1);
    await traffic.put(
      ingress({ name: 'new', rules: [{ host: 'new.test', paths: [{ path: '/', service: 'none' }] }] }),
    );
    await expect.poll(() => addressesOf('new'), patience).toStrictEqual([{ ip: '192.0.2.1' }]);
    await expect
      .poll(served, patience)
      .toBe('ObjectsWithErrors: 2 with errors: Ingress shop/lost, Ingress shop/new.');
    const after = await versions();
    const isOld = (line: string): boolean => /^(?:shop|lost)[ .]/.test(line);
    expect(after.filter(isOld)).toStrictEqual(before.filter(isOld));
  });
});
