import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { annotationRows, isClean } from '../fixtures/annotation-rows.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { canary, hostileTexts } from '../fixtures/hostile-texts.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** Every hostile text that an annotation takes, and one that it refuses, each as an object of its own beside a neighbour. */
const attempts = annotationRows
  .flatMap(({ key, companions, example }) => {
    const texts = [
      ...new Set(
        Object.values(hostileTexts).flatMap((text) => [text, example + text, `${example}, ${text}`]),
      ),
    ];
    const isTaken = (text: string) => isClean({ ...companions, [key]: text });
    const chosen = [...texts.filter(isTaken), ...texts.filter((text) => !isTaken(text)).slice(0, 1)];
    return chosen.map((text) => ({ key, annotations: prefixed({ ...companions, [key]: text }) }));
  })
  .map((attempt, i) => ({ ...attempt, host: `attempt-${i}.example.com`, name: `attempt-${i}` }));

/** Another Service answers for others, or another port: nothing that is asked here. */
const asked = attempts.filter(
  ({ key }) => !/^(?:ssl-passthrough|canary|secure-|auth-tls|ssl-.*-backend|mirror-)/.test(key),
);

describeEachLine('hostile annotations', (line) => {
  const rules = (host: string) => [{ host, paths: [{ path: '/', service: 'a' }] }];
  const pool = setUp(() => startEchoPool('a'));
  const world = setUp(() => {
    process.env[canary.name] = canary.value;
    return startIngressTraffic(line, [
      ...pool.objects,
      secret({ name: 'shop-users', type: 'Opaque', data: { auth: 'user:$6$salt$abcdefghijklmnopqrstuv' } }),
      ingress({ name: 'neighbour', rules: rules('neighbour.example.com') }),
      ingress({
        name: 'kept',
        annotations: prefixed({ 'denylist-source-range': '127.0.0.0/8' }),
        rules: rules('kept.example.com'),
      }),
      ...attempts.map(({ name, host, annotations }) => ingress({ name, annotations, rules: rules(host) })),
    ]);
  });
  afterAll(() => Reflect.deleteProperty(process.env, canary.name));

  it('HAProxy takes them all, and neighbours are as they were', async () => {
    expect(attempts.length).toBeGreaterThan(annotationRows.length);
    expect(await world.outcome({ host: 'neighbour.example.com' })).toBe('a');
    expect(await world.outcome({ host: 'kept.example.com' })).toBe('403');
  });

  it('HAProxy could tell the value of the environment variable', async () => {
    const environment = readFileSync(`/proc/${await world.haproxy.workerPid()}/environ`, 'utf8');
    expect(environment).toContain(`${canary.name}=${canary.value}`);
  });

  it('no answer and no request to a server has the value of an environment variable', async () => {
    for (const { key, host } of asked) {
      const { head, body } = await world.request({ host, headers: ['Origin: https://app.example.com'] });
      expect({ key, host, leaks: `${head}${body}`.includes(canary.value) }).toEqual({
        key,
        host,
        leaks: false,
      });
    }
  });

  it('an answer has the lines of one answer', async () => {
    for (const { key, host } of asked) {
      const { head } = await world.request({ host });
      expect({ key, host, injected: /^INJECTED/m.test(head) }).toEqual({ key, host, injected: false });
    }
  });
});
