import fc from 'fast-check';
import { Subscription, concatMap, defer, of, timer } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Plan } from '../../../src/protocol/plan.ts';
import { createHttpContents } from '../../../src/streams/http-contents.ts';
import { failedOutcome, httpScene, judge, printed, textOutcome } from '../../fixtures/http-scene.ts';

const urls = ['https://a.example/', 'https://b.example/'] as const;
/** `bad` is refused by HAProxy, `ill` lets no check run. */
const texts = ['one', 'two', 'bad 1', 'bad 2', 'ill', 'three'] as const;
const timing = { sweep: 5_000, firstWait: 3_000, trialRetry: { min: 200, max: 2_000 } };

type Step =
  | { readonly kind: 'serve'; readonly url: number; readonly text: string | undefined }
  | { readonly kind: 'item'; readonly name: string; readonly url: number | undefined; readonly more: string }
  | { readonly kind: 'turn' }
  | { readonly kind: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('serve' as const),
    url: fc.nat(1),
    text: fc.option(fc.constantFrom(...texts), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('item' as const),
    name: fc.constantFrom('x', 'y', 'z'),
    url: fc.option(fc.nat(1), { nil: undefined }),
    // Two words cannot be printed there: the item fails.
    more: fc.constantFrom('.', '.', '!', 'two words'),
  }),
  fc.record({ kind: fc.constant('turn' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(10, 300, 1_100, 3_000) }),
);

/** Texts of the items in what is printed: `x: one., y: two!`. */
function textsIn(plan: Plan): readonly string[] {
  return printed(plan)
    .split(', ')
    .map((line) => /^\w+: (.*).$/.exec(line)?.[1] ?? '')
    .filter((text) => text !== '');
}

describe('content of URLs, however it and the items that read it change', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is printed only after HAProxy has accepted a configuration with it, and what is printed last is good', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const served: (string | undefined)[] = [undefined, undefined];
        const accepted = new Set<string>();
        const contents = createHttpContents({
          fetch: ({ url }) =>
            defer(() => {
              const text = served[urls.findIndex((one) => one === url)];
              return of(text === undefined ? failedOutcome('answered 404') : textOutcome(text));
            }),
          check: (plan) =>
            timer(50).pipe(
              concatMap(() => {
                const verdict = judge(plan);
                if (verdict.kind === 'accepted') for (const text of textsIn(plan)) accepted.add(text);
                return of(verdict);
              }),
            ),
          random: () => 0.5,
          timing,
        });
        const running = new Subscription();
        running.add(contents.work$.subscribe({ error: (error: unknown) => expect(error).toBeUndefined() }));
        const scene = httpScene(contents);
        const turn = (): void => {
          scene.turn();
          for (const text of textsIn(scene.world.renderer.bundle().plan)) expect(accepted).toContain(text);
        };
        for (const one of steps) {
          if (one.kind === 'serve') served[one.url] = one.text;
          else if (one.kind === 'wait') await vi.advanceTimersByTimeAsync(one.ms);
          else if (one.kind === 'turn') turn();
          else
            scene.item(
              one.name,
              one.url === undefined ? undefined : { url: urls[one.url], delay: '1s', more: one.more },
            );
          await vi.advanceTimersByTimeAsync(1);
        }
        // Once all is well, every item shows what its URL says.
        served.fill('four');
        for (const name of ['x', 'y', 'z']) scene.item(name, { url: urls[0], delay: '1s', more: '.' });
        for (let i = 0; i < 40; i++) {
          turn();
          await vi.advanceTimersByTimeAsync(500);
        }
        expect(printed(scene.world.renderer.bundle().plan)).toBe('x: four., y: four., z: four.');
        running.unsubscribe();
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});
