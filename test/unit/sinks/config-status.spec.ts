import { describe, expect, it } from 'vitest';
import { type ConfigJudgement, configStatus } from '../../../src/sinks/config-status.ts';

const now = '2026-03-01T00:00:00.000Z';
const earlier = '2026-02-01T00:00:00.000Z';

const judged = (change: Partial<ConfigJudgement> = {}): ConfigJudgement => ({
  object: {
    metadata: { name: 'main', namespace: 'haptic', uid: 'u', generation: 4, resourceVersion: '9' },
    spec: { secret: 'x' },
  },
  status: 'Valid',
  reason: 'ValidationSucceeded',
  message: 'the configuration is at work',
  errors: [],
  ...change,
});

const statusOf = (judgement: ConfigJudgement, ...known: readonly unknown[]) =>
  configStatus(judgement, known, now)?.['status'] as Readonly<Record<string, unknown>> | undefined;

describe('configStatus', () => {
  it('is nothing but the status, of the generation that was judged', () => {
    expect(configStatus(judged(), [undefined], now)).toEqual({
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyTemplateConfig',
      metadata: { name: 'main', namespace: 'haptic', uid: 'u' },
      status: {
        observedGeneration: 4,
        validationStatus: 'Valid',
        validationMessage: 'the configuration is at work',
        validationErrors: [],
        lastValidated: now,
        conditions: [
          {
            type: 'Validated',
            status: 'True',
            reason: 'ValidationSucceeded',
            message: 'the configuration is at work',
            lastTransitionTime: now,
            observedGeneration: 4,
          },
        ],
      },
    });
  });

  it('keeps the time of the last transition as long as the condition stays what it is', () => {
    const present = { conditions: [{ type: 'Validated', status: 'True', lastTransitionTime: earlier }] };
    expect(statusOf(judged(), present)).toMatchObject({
      conditions: [{ status: 'True', lastTransitionTime: earlier }],
    });
    expect(statusOf(judged({ status: 'Invalid', reason: 'ConfigInvalid' }), present)).toMatchObject({
      conditions: [{ status: 'False', lastTransitionTime: now }],
    });
  });

  it('is none where the object says so already, and one where only the generation is another', () => {
    const first = statusOf(judged());
    expect(configStatus(judged(), [first], '2027-01-01T00:00:00.000Z')).toBeUndefined();
    const newer = judged();
    const object = { ...newer.object, metadata: { ...newer.object.metadata, generation: 5 } };
    expect(statusOf({ ...newer, object }, first)).toMatchObject({ observedGeneration: 5 });
  });

  it('is one where a status that may stand there says something else', () => {
    const written = statusOf(judged());
    const seen = statusOf(judged({ status: 'Unknown', reason: 'Validating' }));
    expect(configStatus(judged(), [written, seen], now)).toBeDefined();
    expect(configStatus(judged(), [written, written], now)).toBeUndefined();
  });

  it('stays within what an API server takes', () => {
    const errors = Array.from({ length: 70 }, (_, i) => `error ${i}`);
    const status = statusOf(judged({ status: 'Invalid', message: 'x'.repeat(50_000), errors }));
    expect(status?.['validationErrors']).toHaveLength(51);
    expect((status?.['validationErrors'] as string[]).at(-1)).toBe('and 20 more');
    expect(status?.['validationMessage']).toHaveLength(32_768);
    const long = statusOf(
      judged({ status: 'Invalid', errors: Array.from({ length: 50 }, () => 'x'.repeat(100_000)) }),
    );
    expect(JSON.stringify(long).length).toBeLessThan(300_000);
    expect((long?.['validationErrors'] as string[])[0]).toMatch(/^x{4095}…$/);
  });

  it('reads a status of any shape', () => {
    for (const present of [null, 'x', [], { conditions: 'x' }, { conditions: [null, 1] }])
      expect(statusOf(judged(), present)).toMatchObject({ validationStatus: 'Valid' });
  });
});
