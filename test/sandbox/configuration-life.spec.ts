import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { nested } from '../fixtures/nested.ts';
import { type SandboxTraffic, startSandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const haproxy = newestHaproxyLine();
const key = { namespace: 'haptic', name: 'haproxy-config' };
const snippet = 'frontend-http-900-hello';
const patience = 60_000;
const slow = 180_000;

type Spec = Readonly<Record<string, unknown>>;

interface ConfigObject extends KubeObject {
  readonly spec: Spec;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

const answers = (text: string) =>
  `http-request return status 200 content-type text/plain string "${text}" if { path /hello }\n`;
const says = (text: string) => ({ templateSnippets: { [snippet]: { template: answers(text) } } });

function conditionOf({ status }: KubeObject): Condition | undefined {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.find(({ type }) => type === 'Validated');
}

describe.skipIf(haproxy === undefined)('the life of a configuration', () => {
  let traffic: SandboxTraffic;
  beforeAll(async () => {
    traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '' });
    await judged('True');
  }, slow);
  afterAll(() => traffic.stop());

  const client = () => traffic.sandbox.api.client;
  const resource = () =>
    client().resourceOf('haproxy-haptic.org/v1alpha1', 'HAProxyTemplateConfig') ?? 'there is none';
  const object = () => firstValueFrom(client().get<ConfigObject>(resource(), key));
  const patch = (change: unknown) => firstValueFrom(client().patch(resource(), key, change));
  const patchSpec = (spec: Spec) => patch({ spec });

  const condition = async () => conditionOf(await object());
  /** The condition of the newest generation, once it is of this status. */
  const judged = (status: string): Promise<Condition> =>
    eventually(
      `Validated is ${status}`,
      async () => {
        const { metadata } = await object();
        const now = await condition();
        expect(now).toMatchObject({ status, observedGeneration: metadata.generation });
        return now;
      },
      patience,
    );
  const hello = (text: string) =>
    eventually(
      `/hello says ${text}`,
      async () => {
        expect(await (await fetch(`${traffic.sandbox.httpUrl}/hello`)).text()).toBe(text);
        return true;
      },
      patience,
    );
  const another = async (): Promise<void> => {
    const before = traffic.sandbox.controller.pid();
    if (before === undefined) throw new Error('it does not run');
    process.kill(before, 'SIGKILL');
    await eventually('the controller was started again', () => {
      const now = traffic.sandbox.controller.pid();
      return now !== undefined && now !== before ? true : undefined;
    });
  };

  it('begins with stages, each of which is told once, and the last when somebody can ask', async () => {
    const all = await traffic.log();
    const stages = all.filter(({ msg }) => msg === 'start-up stage reached').map(({ stage }) => stage);
    expect([...stages].sort()).toEqual(
      ['config', 'config-watch', 'debug', 'leader-election', 'reconciliation', 'resources', 'setup'].sort(),
    );
    expect(stages[0]).toBe('setup');
    const listening = all.findLastIndex(({ msg }) => String(msg).startsWith('Server listening'));
    expect(all.findIndex(({ stage }) => stage === 'debug')).toBeGreaterThan(listening);
  });

  it(
    'is valid again after the controller was started anew',
    async () => {
      await patchSpec(says('one'));
      await hello('one');
      await judged('True');
      const said: unknown[] = [];
      const watching = client()
        .watch(resource())
        .subscribe((event) => {
          if ('object' in event) said.push(conditionOf(event.object)?.reason);
        });
      await another();
      await eventually(
        'it is not known for a while, and valid then',
        () => {
          const { length } = said;
          return said[length - 1] === 'ValidationSucceeded' && said.includes('Validating') ? true : undefined;
        },
        patience,
      );
      watching.unsubscribe();
      expect(await judged('True')).toMatchObject({ reason: 'ValidationSucceeded' });
    },
    slow,
  );

  it(
    'is refused with words as the first one of a controller, whatever is wrong with it, and taken when it is right',
    async () => {
      for (const [template, reason, words] of [
        ['{{nonsense 1}}', 'ConfigInvalid', `spec.templateSnippets.${snippet}:1:`],
        ['http-request no-such-action', 'HAProxyValidationFailed', 'no-such-action'],
        ['{{fail "not today"}}', 'ConfigInvalid', 'not today'],
      ] as const) {
        await patchSpec({ templateSnippets: { [snippet]: { template } } });
        await judged('False');
        await another();
        const { reason: said, message } = await eventually(
          'the new controller says what is wrong',
          async () => {
            const now = await judged('False');
            expect(now.message).toContain(words);
            return now;
          },
          patience,
        );
        expect([said, message]).toEqual([reason, expect.stringContaining(words)]);
      }
      await patchSpec(says('two'));
      await hello('two');
      await judged('True');
    },
    slow,
  );

  it(
    'ends at the last of many quick edits',
    async () => {
      for (let edit = 0; edit < 40; edit++)
        await patchSpec(says(edit % 7 === 3 ? `{{bad ${edit}` : `edit ${edit}`));
      await hello('edit 39');
      await judged('True');
    },
    slow,
  );

  it(
    'is judged anew after somebody has overwritten its status',
    async () => {
      const { metadata, spec } = await object();
      await firstValueFrom(
        client().patch(
          resource(),
          key,
          { status: { validationStatus: 'Invalid', conditions: [] } },
          { subresource: 'status' },
        ),
      );
      await patchSpec(says('three'));
      await judged('True');
      await patch({ spec });
      expect((await judged('True')).observedGeneration).toBe((metadata.generation ?? 0) + 2);
    },
    slow,
  );

  it(
    'is refused where it is nested without end, and the next edit is taken',
    async () => {
      await patchSpec({ templatingSettings: { extraContext: { deep: nested(1_000) } } });
      expect((await judged('False')).message).toContain('nested more than 100 deep');
      await patchSpec({ templatingSettings: { extraContext: { deep: null } }, ...says('four') });
      await hello('four');
      await judged('True');
    },
    slow,
  );

  it(
    'says that a library is gone, stays at work, and is right again when the same one is back',
    async () => {
      const before = await object();
      const mine = {
        apiVersion: 'haproxy-haptic.org/v1alpha1',
        kind: 'HAProxyTemplateLibrary',
        metadata: { name: 'mine', namespace: key.namespace },
        spec: { revision: '1', templateSnippets: { [snippet]: { template: answers('from a library') } } },
      };
      const libraries = client().resourceOf(mine.apiVersion, mine.kind) ?? 'there is none';
      await firstValueFrom(client().create(mine));
      const refs = before.spec['libraryRefs'] as readonly unknown[];
      await patchSpec({
        libraryRefs: [...refs, { name: 'mine', revision: '1' }],
        templateSnippets: { [snippet]: null },
      });
      await hello('from a library');
      await judged('True');
      await firstValueFrom(client().delete(libraries, mine.metadata));
      expect((await judged('False')).message).toContain('there is no HAProxyTemplateLibrary mine');
      await hello('from a library');
      await firstValueFrom(client().create(mine));
      await judged('True');
      await firstValueFrom(client().delete(libraries, mine.metadata));
      await firstValueFrom(
        client().create({
          ...mine,
          spec: { revision: '1', templateSnippets: { [snippet]: { template: answers('anew') } } },
        }),
      );
      await hello('anew');
      await judged('True');
      await patchSpec({ libraryRefs: refs, ...says('no library') });
      await hello('no library');
      await judged('True');
      await firstValueFrom(client().delete(libraries, mine.metadata));
    },
    slow,
  );

  it(
    'is another object when it was deleted and made anew, with its own words',
    async () => {
      const { spec, metadata } = await object();
      await firstValueFrom(client().delete(resource(), key));
      const make = (change: Spec) =>
        firstValueFrom(
          client().create({
            apiVersion: 'haproxy-haptic.org/v1alpha1',
            kind: 'HAProxyTemplateConfig',
            metadata: key,
            spec: { ...spec, ...change },
          }),
        );
      await make({ templateSnippets: { [snippet]: { template: '{{nonsense 1}}' } } });
      expect((await judged('False')).message).toContain('nonsense');
      await firstValueFrom(client().delete(resource(), key));
      await make({});
      expect(await judged('True')).toMatchObject({ reason: 'ValidationSucceeded' });
      expect((await object()).metadata.uid).not.toBe(metadata.uid);
    },
    slow,
  );

  it(
    'of a megabyte is taken',
    async () => {
      const big = Object.fromEntries(
        Array.from({ length: 18_000 }, (_, index) => [`key${index}`, { a: index, b: [1, 2, index], c: 'x' }]),
      );
      await patchSpec({ templatingSettings: { extraContext: { big } }, ...says('five') });
      await hello('five');
      await judged('True');
      await patchSpec({ templatingSettings: { extraContext: { big: null } } });
      await judged('True');
    },
    slow,
  );

  it('has ended no part of the system', () => {
    expect(traffic.restarts()).toEqual({ haproxy: 0, agent: 0, controller: 4 });
  });
});
