import pino from 'pino';
import { of } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { TemplateConfig, WatchedResource } from '../../../src/api/template-config.ts';
import { readConfig } from '../../../src/cli/read-config.ts';
import type { Controller } from '../../../src/cli/controller/controller-deps.ts';
import { startController } from '../../../src/cli/start-controller.ts';
import type { KubeTransport } from '../../../src/kube/kube-transport.ts';
import { acceptingAgent } from '../../bench/lib/accepting-agent.ts';
import { scriptedApi } from '../../bench/lib/scripted-api.ts';

type Snippets = TemplateConfig['templateSnippets'];

const started: Controller[] = [];
afterEach(async () => {
  for (const controller of started.splice(0)) await controller.stop();
});

/** A controller on an API without objects that serves every kind but `widgets`. */
async function start(
  widgets?: WatchedResource,
  { snippets = {}, log = pino({ level: 'silent' }) }: { snippets?: Snippets; log?: pino.Logger } = {},
): Promise<Controller> {
  const { transport } = scriptedApi({});
  const withoutWidgets: KubeTransport = {
    ...transport,
    request: async (request) =>
      request.path.endsWith('/widgets')
        ? Promise.resolve({
            ok: false,
            failure: {
              kind: 'http',
              status: 404,
              reason: 'NotFound',
              message: 'the server could not find the requested resource',
            },
          })
        : transport.request(request),
  };
  const config = await readConfig(`${import.meta.dirname}/../../../charts/haptic/libraries`, []);
  const watchedResources =
    widgets === undefined ? config.watchedResources : { ...config.watchedResources, widgets };
  const controller = startController({
    config: { ...config, watchedResources, templateSnippets: { ...config.templateSnippets, ...snippets } },
    transport: withoutWidgets,
    client: acceptingAgent(),
    check: (plan) => of({ kind: 'accepted', planId: plan.id, warnings: [] }),
    capabilities: {},
    watchTimeoutSeconds: 290,
    log,
    onFatal: (error) => {
      throw error;
    },
  });
  started.push(controller);
  return controller;
}

const failures = (controller: Controller) =>
  controller.health.ready.flatMap(({ name, failure }) =>
    failure() === undefined ? [] : [`${name}: ${failure() ?? ''}`],
  );

describe('readiness', () => {
  it('comes with all stores and a first render that HAProxy accepted', async () => {
    const controller = await start();
    expect(failures(controller)).toEqual([
      'stores: waiting for ingresses, ingressclasses, services, endpointslices, secrets',
      'render: no render was accepted yet',
    ]);
    await expect.poll(() => failures(controller)).toEqual([]);
    expect(controller.health.live.map(({ failure }) => failure())).toEqual([undefined, undefined]);
  });

  it('does not come while a kind that must be there is not served, though the others are rendered', async () => {
    const controller = await start({ apiVersion: 'example.com/v1', resources: 'widgets' });
    await expect.poll(() => failures(controller)).toEqual(['stores: waiting for widgets']);
  });

  it('does not wait for a kind that may be absent', async () => {
    const controller = await start({ apiVersion: 'example.com/v1', resources: 'widgets', optional: true });
    await expect.poll(() => failures(controller)).toEqual([]);
  });
});

describe('what templates do that is hardly meant', () => {
  it('is told in the log when the configuration is taken, and nothing of the shipped libraries is', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    await start(undefined, { log });
    expect(lines).toEqual([]);
    await start(undefined, { log, snippets: { 'frontends-50-mine': { template: '' } } });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        msg: 'a template is hardly what was meant',
        template: 'frontends-50-mine',
        reason: expect.stringContaining('the number 50 has not three digits') as string,
      }),
    ]);
  });
});
