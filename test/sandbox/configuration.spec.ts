import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxConfig } from '../../src/sandbox/system-config.ts';
import manifest from '../../package.json' with { type: 'json' };
import { eventually } from '../fixtures/haproxy-process.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { type Kubectl, createKubectl, describeWithKubectl } from '../fixtures/kubectl.ts';
import { type SandboxTraffic, startSandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const config = 'haproxytemplateconfig/haproxy-config';
const patience = 60_000;
const snippet = 'frontend-http-900-hello';

interface Status {
  readonly observedGeneration?: number;
  readonly validationStatus?: string;
  readonly validationErrors?: readonly string[];
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly observedGeneration: number;
  }[];
}

interface ConfigObject {
  readonly metadata: { readonly generation: number };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Status;
}

const answers = (text: string) =>
  `http-request return status 200 content-type text/plain string "${text}" if { path /hello }\n`;

describeWithKubectl('the configuration as an object', () => {
  let traffic: SandboxTraffic;
  let kubectl: Kubectl;

  beforeAll(async () => {
    const line = newestHaproxyLine();
    traffic = await startSandboxTraffic(line === undefined ? {} : { haproxy: line.path });
    kubectl = await createKubectl(traffic.sandbox.api.kubeconfig());
    await judged('True');
  }, 120_000);

  afterAll(async () => {
    await kubectl.close();
    await traffic.stop();
  });

  const object = async () =>
    JSON.parse(await kubectl.ok(['get', config, '-n', 'haptic', '-o', 'json'])) as ConfigObject;

  /** The condition of the newest generation, once it is of this status. */
  const judged = (status: string) =>
    eventually(
      `Validated is ${status}`,
      async () => {
        const { metadata, status: said } = await object();
        const condition = said?.conditions?.find(({ type }) => type === 'Validated');
        expect(condition).toMatchObject({ status, observedGeneration: metadata.generation });
        expect(said?.observedGeneration).toBe(metadata.generation);
        return { ...condition!, errors: said?.validationErrors ?? [] };
      },
      patience,
    );

  /** Applies fields of `spec`, as `kubectl apply --server-side -f` of a manifest with just these does. */
  const apply = (spec: Readonly<Record<string, unknown>>) =>
    kubectl.ok(
      ['apply', '--server-side', '--force-conflicts', '--field-manager=me', '-f', '-'],
      JSON.stringify({
        apiVersion: 'haproxy-haptic.org/v1alpha1',
        kind: 'HAProxyTemplateConfig',
        metadata: { name: 'haproxy-config', namespace: 'haptic' },
        spec,
      }),
    );
  const applySnippet = (template: string) => apply({ templateSnippets: { [snippet]: { template } } });

  const hello = async () => (await fetch(`${traffic.sandbox.httpUrl}/hello`)).text();
  const says = (text: string) =>
    eventually(`/hello says ${text}`, async () => ((await hello()) === text ? true : undefined), patience);
  const lines = async (msg: string) => (await traffic.log()).filter((line) => line['msg'] === msg);
  const lists = async () =>
    (await lines('watch init-done')).filter(({ resource }) => resource === 'ingresses').length;

  it('takes effect as soon as a snippet is applied, and lists nothing again', async () => {
    const before = await lists();
    await applySnippet(answers('one'));
    await says('one');
    expect(await judged('True')).toMatchObject({ reason: 'ValidationSucceeded' });
    await applySnippet(answers('two'));
    await says('two');
    expect(await lists()).toBe(before);
  }, 120_000);

  it('is refused with snippet, line and column where a template does not compile, and the last good one stays', async () => {
    await applySnippet(`${answers('three')}{{nonsense 1}}\n`);
    const { reason, message, errors } = await judged('False');
    expect(reason).toBe('ConfigInvalid');
    expect(message).toContain(`spec.templateSnippets.${snippet}:2:`);
    expect(message).toContain('nonsense');
    expect(errors).toHaveLength(1);
    expect(await hello()).toBe('two');
  }, 120_000);

  it('is refused with the words of HAProxy where that would not load it', async () => {
    await applySnippet('http-request no-such-action');
    const { reason, errors } = await judged('False');
    expect(reason).toBe('HAProxyValidationFailed');
    expect(errors.join('\n')).toContain('no-such-action');
    expect(errors.join('\n')).toMatch(/haproxy\.cfg:\d+/);
    expect(await hello()).toBe('two');
  }, 120_000);

  it('is at work again as soon as it is right again', async () => {
    await applySnippet(answers('four'));
    await says('four');
    await judged('True');
  }, 120_000);

  it('takes its own status for no change', async () => {
    await judged('True');
    const taken = (await lines('load stage passed')).length;
    const { metadata } = await object();
    await kubectl.ok(['annotate', config, '-n', 'haptic', 'example.com/touched=yes']);
    await kubectl.ok(['label', config, '-n', 'haptic', 'touched=yes']);
    // A change that is one comes after those: when it is there, they would have been.
    await applySnippet(answers('five'));
    await says('five');
    await judged('True');
    expect((await object()).metadata.generation).toBe(metadata.generation + 1);
    const basics = (await lines('load stage passed')).slice(taken).filter(({ stage }) => stage === 'basic');
    expect(basics).toHaveLength(1);
  }, 120_000);

  it('waits for a library in the revision that it asks for', async () => {
    const library = (revision: string) =>
      JSON.stringify({
        apiVersion: 'haproxy-haptic.org/v1alpha1',
        kind: 'HAProxyTemplateLibrary',
        metadata: { name: 'mine', namespace: 'haptic' },
        spec: {
          revision,
          templateSnippets: {
            'frontend-http-950-mine': {
              template: `http-request return status 200 content-type text/plain string "mine" if { path /mine }\n`,
            },
          },
        },
      });
    await kubectl.ok(['apply', '--server-side', '-f', '-'], library('1'));
    const base = sandboxConfig.libraries.map((name) => ({ name, revision: manifest.version }));
    await apply({
      libraryRefs: [...base, { name: 'mine', revision: '2' }],
      templateSnippets: { [snippet]: { template: answers('five') } },
    });
    const { message } = await judged('False');
    expect(message).toContain(`spec.libraryRefs[${base.length}].revision is 2`);
    expect(message).toContain('mine has revision 1');
    await kubectl.ok(['apply', '--server-side', '-f', '-'], library('2'));
    await judged('True');
    await eventually(
      '/mine is answered',
      async () =>
        (await (await fetch(`${traffic.sandbox.httpUrl}/mine`)).text()) === 'mine' ? true : undefined,
      patience,
    );
    expect(await hello()).toBe('five');
  }, 120_000);

  it('stays at work when the object is deleted, and is recognised when it comes back', async () => {
    const { spec } = await object();
    await kubectl.ok(['delete', config, '-n', 'haptic']);
    await eventually(
      'the deletion is noticed',
      async () => (await lines('there is no configuration to load: what was taken stays'))[0],
      patience,
    );
    expect(await hello()).toBe('five');
    await kubectl.ok(
      ['create', '-f', '-'],
      JSON.stringify({
        apiVersion: 'haproxy-haptic.org/v1alpha1',
        kind: 'HAProxyTemplateConfig',
        metadata: { name: 'haproxy-config', namespace: 'haptic' },
        spec,
      }),
    );
    await judged('True');
    expect(await lines('configuration is the one at work')).not.toHaveLength(0);
    expect(await hello()).toBe('five');
    expect(traffic.restarts()).toEqual({ haproxy: 0, agent: 0, controller: 0 });
  }, 120_000);
});
