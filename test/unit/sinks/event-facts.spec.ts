import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { LatchVerdict } from '../../../src/gate/latch.ts';
import {
  emptyQuarantine,
  type QuarantineEntry,
  type QuarantineState,
} from '../../../src/gate/quarantine-state.ts';
import { orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import type { Problem } from '../../../src/lib/problem.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import type { DeclaredEvent } from '../../../src/protocol/declared.ts';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import type { RecoveryState } from '../../../src/sinks/retained/recovery-state.ts';
import { eventFact, maxNote } from '../../../src/sinks/event-fact.ts';
import { eventFacts } from '../../../src/sinks/event-facts.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';
import { ackOf, failureOf } from '../../fixtures/delivery-reports.ts';

const config = { kind: 'HAProxyTemplateConfig', namespace: 'haptic', name: 'haptic-config' };
const ingress = (name: string) => ({ kind: 'Ingress', namespace: 'web', name });
const problem = (name: string, more: Partial<Problem> = {}): Problem => ({
  severity: 'error',
  reason: 'BackendMissing',
  field: 'spec.rules[0]',
  message: 'Service web/x does not exist',
  owner: ingress(name),
  ...more,
});
const held = (name: string, more: Partial<QuarantineEntry> = {}): QuarantineState => ({
  ...emptyQuarantine,
  entries: new Map([
    [
      `Ingress web/${name}`,
      {
        kind: 'pinned',
        owner: ingress(name),
        at: orderedMapFrom([]),
        state: 'refused',
        since: 0,
        words: "unknown keyword 'x'",
        refused: new Set(),
        triedAt: 0,
        ...more,
      },
    ],
  ]),
});

function createScene() {
  const bundle$ = new Subject<Bundle>();
  const quarantine$ = new Subject<QuarantineState>();
  const verdict$ = new Subject<LatchVerdict>();
  const delivery$ = new Subject<DeliveryReport>();
  const recovery$ = new Subject<RecoveryState>();
  const told: string[] = [];
  const names = new Map<string, string>();
  eventFacts({ bundle$, quarantine$, verdict$, delivery$, recovery$, config }).subscribe((change) => {
    if (change.kind === 'ended') {
      told.push(`ended ${names.get(change.key) ?? '?'}`);
      return;
    }
    const { about, type, reason, note, key } = change.fact;
    names.set(key, `${reason} ${about.name}`);
    told.push(`${change.kind} ${type} ${reason} ${about.kind} ${about.namespace}/${about.name}: ${note}`);
  });
  const take = (): readonly string[] => told.splice(0);
  return { bundle$, quarantine$, verdict$, delivery$, recovery$, take };
}

describe('eventFacts', () => {
  it('tells of the configuration that pods have what is retained, or get nothing, as long as it is so', () => {
    const { recovery$, take } = createScene();
    const about = 'HAProxyTemplateConfig haptic/haptic-config';
    recovery$.next({ kind: 'off' });
    recovery$.next({ kind: 'pending', error: 'template: bad' });
    recovery$.next({
      kind: 'unavailable',
      error: 'template: bad',
      reason: 'PodDiffers',
      message: 'pod ns/p waits for a reload',
    });
    expect(take()).toEqual([
      `begun Warning RetainedConfigUnavailable ${about}: nothing new can be rendered, and new HAProxy pods get nothing, since pod ns/p waits for a reload (PodDiffers): template: bad`,
    ]);
    const active = { kind: 'active', planId: '1', name: 'web-retained-1', given: [], pods: 1 } as const;
    recovery$.next({ ...active, error: 'template: bad' });
    expect(take()).toEqual([
      'ended RetainedConfigUnavailable haptic-config',
      `begun Warning RetainedConfigActive ${about}: nothing new can be rendered, and HAProxy pods have the retained render 1: template: bad`,
    ]);
    recovery$.next({ ...active, error: 'template: bad', given: ['ns/new'], pods: 2 });
    expect(take()).toEqual([]);
    recovery$.next({ kind: 'off' });
    expect(take()).toEqual(['ended RetainedConfigActive haptic-config']);
  });

  it('tells problems as they begin, change and end', () => {
    const { bundle$, take } = createScene();
    bundle$.next(bundleOf('1', [problem('a'), problem('b', { field: '' })]));
    expect(take()).toEqual([
      'begun Warning BackendMissing Ingress web/a: spec.rules[0]: Service web/x does not exist',
      'begun Warning BackendMissing Ingress web/b: Service web/x does not exist',
    ]);
    bundle$.next(bundleOf('2', [problem('a'), problem('b', { field: '', message: 'other words' })]));
    expect(take()).toEqual([
      'ended BackendMissing b',
      'begun Warning BackendMissing Ingress web/b: other words',
    ]);
    bundle$.next(bundleOf('3', [problem('a')]));
    expect(take()).toEqual(['ended BackendMissing b']);
    bundle$.next(bundleOf('4', [problem('a')]));
    expect(take()).toEqual([]);
  });

  it('tells what is wrong with a template about the configuration', () => {
    const { bundle$, take } = createScene();
    const owner = { kind: 'Template', namespace: '', name: 'haproxy.cfg' };
    bundle$.next(
      bundleOf('1', [problem('', { owner, reason: 'TemplateFailed', field: '', message: 'no such field' })]),
    );
    expect(take()).toEqual([
      'begun Warning TemplateFailed HAProxyTemplateConfig haptic/haptic-config: Template haproxy.cfg: no such field',
    ]);
  });

  it('tells what templates record', () => {
    const { bundle$, take } = createScene();
    const event: DeclaredEvent = {
      about: { apiVersion: 'v1', ...ingress('a') },
      type: 'Normal',
      reason: 'ColorDeprecated',
      message: 'red is deprecated',
      owner: ingress('a'),
      place: 't:1:1',
    };
    const events = orderedMapFrom([['k', event]]);
    bundle$.next({ ...bundleOf('1'), events });
    bundle$.next({ ...bundleOf('2'), events });
    bundle$.next(bundleOf('3'));
    expect(take()).toEqual([
      'begun Normal ColorDeprecated Ingress web/a: red is deprecated',
      'ended ColorDeprecated a',
    ]);
  });

  it('tells who comes into quarantine, with the words of HAProxy, and who leaves it', () => {
    const { quarantine$, take } = createScene();
    quarantine$.next(held('a', { state: 'suspected' }));
    expect(take()).toEqual([]);
    quarantine$.next(held('a'));
    quarantine$.next(held('a', { triedAt: 7 }));
    expect(take()).toEqual([
      "begun Warning Quarantined Ingress web/a: HAProxy refuses what this object says, what was accepted last stays in effect: unknown keyword 'x'",
    ]);
    quarantine$.next(emptyQuarantine);
    expect(take()).toEqual([
      'ended Quarantined a',
      'happened Normal QuarantineEnded Ingress web/a: is not held back any more',
    ]);
  });

  it('tells of refusals once, and that a render is accepted again', () => {
    const { verdict$, take } = createScene();
    const refused = (message: string): LatchVerdict => ({
      planId: 'p',
      kind: 'refused',
      findings: [{ message }],
    });
    verdict$.next({ planId: 'p', kind: 'accepted' });
    verdict$.next(refused('bad line'));
    verdict$.next(refused('bad line'));
    verdict$.next({ planId: 'p', kind: 'unchecked' });
    verdict$.next({ planId: 'p', kind: 'accepted' });
    expect(take()).toEqual([
      'happened Warning RenderRefusedByHAProxy HAProxyTemplateConfig haptic/haptic-config: HAProxy refuses the configuration: bad line',
      'happened Normal RenderAcceptedByHAProxy HAProxyTemplateConfig haptic/haptic-config: HAProxy accepts the configuration again',
    ]);
  });

  it('tells what a pod refuses, once until it takes something', () => {
    const { delivery$, take } = createScene();
    const rejected = failureOf('haptic/p', 'x', { stage: 'rejected', message: 'no memory' });
    delivery$.next(failureOf('haptic/p', 'x'));
    delivery$.next(rejected);
    delivery$.next(rejected);
    delivery$.next(ackOf('haptic/p', 'x'));
    delivery$.next(rejected);
    const words =
      'happened Warning ApplyRejected HAProxyTemplateConfig haptic/haptic-config: the HAProxy pod haptic/p refuses what it is given: no memory';
    expect(take()).toEqual([words, words]);
  });
});

describe('eventFact', () => {
  const fact = (note: string) =>
    eventFact({ about: ingress('a'), type: 'Warning', reason: 'R', action: 'Render', note, lasting: true });

  it('cuts a note that is too long, between characters', () => {
    const { note } = fact('ä€😀'.repeat(500));
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(maxNote);
    expect(Buffer.byteLength(note)).toBeGreaterThan(maxNote - 8);
    expect(note).toMatch(/^(?:ä€😀)+(?:ä€?)?…$/u);
  });

  it('hides private keys', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----';
    expect(fact(`bad: ${key}`).note).toBe('bad: [redacted]');
  });
});
