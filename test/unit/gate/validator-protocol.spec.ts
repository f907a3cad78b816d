import { describe, expect, it } from 'vitest';
import { parseValidatorAnswer, validatorRequest } from '../../../src/gate/validator-protocol.ts';
import { editOrderedMap, getEntry } from '../../../src/lib/ordered-map.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const made = makePlan({
  core: { global: 'global\n' },
  maps: { 'maps/host.map': { entries: [['a', 'b']] } },
  files: {
    'general/rules.conf': { text: 'rule' },
    'general/deep/x.conf': { text: 'x' },
    'ssl/a.pem': { text: 'secret', kind: 'cert' },
  },
});
const file = getEntry(made.files, 'general/rules.conf')!;
const plan = {
  ...made,
  files: editOrderedMap(made.files, [
    ['general/raw.bin', { ...file, path: 'general/raw.bin', content: () => [Uint8Array.of(255, 0)] }],
  ]),
};
const sent = (files: string[], dataFiles: string[] = []) =>
  JSON.parse(validatorRequest(plan, { files, dataFiles })) as {
    version: number;
    id: string;
    files: { path: string; role: string; encoding: string; content: string }[];
  };
const parse = (answer: unknown) =>
  parseValidatorAnswer(typeof answer === 'string' ? answer : JSON.stringify(answer), plan, 'waf');

describe('validatorRequest', () => {
  it('is one line with the files that are named, and no other', () => {
    const text = validatorRequest(plan, { files: ['haproxy.cfg'], dataFiles: ['maps/*'] });
    expect(text.indexOf('\n')).toBe(text.length - 1);
    expect(sent(['haproxy.cfg'], ['maps/*'])).toEqual({
      version: 1,
      id: plan.id,
      files: [
        { path: 'haproxy.cfg', kind: 'config', role: 'file', encoding: 'utf8', content: 'global\n' },
        { path: 'maps/host.map', kind: 'map', role: 'data', encoding: 'utf8', content: 'a b\n' },
      ],
    });
  });

  it('takes a star for any characters but a slash, and a dot for a dot', () => {
    expect(sent(['general/*.conf']).files.map(({ path }) => path)).toEqual(['general/rules.conf']);
    expect(sent(['general/rules?conf']).files).toEqual([]);
    expect(sent(['*']).files.map(({ path }) => path)).toEqual(['haproxy.cfg']);
  });

  it('judges a file that is named in both ways', () => {
    expect(sent(['haproxy.cfg'], ['haproxy.cfg']).files[0]?.role).toBe('file');
  });

  it('sends what is no text in base64', () => {
    expect(sent(['general/raw.bin']).files[0]).toMatchObject({ encoding: 'base64', content: '/wA=' });
  });
});

describe('parseValidatorAnswer', () => {
  it('keeps warnings, with their place', () => {
    const messages = [{ severity: 'warning', message: 'odd', file: 'haproxy.cfg', line: 3 }];
    expect(parse({ id: plan.id, valid: true, messages })).toEqual([
      { severity: 'warning', message: 'odd', file: 'haproxy.cfg', line: 3, validator: 'waf' },
    ]);
    expect(parse({ id: plan.id, valid: true })).toEqual([]);
  });

  it('refuses by errors, and without a word if there are none', () => {
    expect(parse({ id: plan.id, valid: false, messages: [{ severity: 'error', message: 'no' }] })).toEqual([
      { severity: 'alert', message: 'no', validator: 'waf' },
    ]);
    expect(parse({ id: plan.id, valid: false })).toMatchObject([{ severity: 'alert', validator: 'waf' }]);
  });

  it('leaves out a place that is none', () => {
    const messages = [{ severity: 'warning', message: 'odd', file: 1, line: -1 }];
    expect(parse({ id: plan.id, valid: true, messages })).toEqual([
      { severity: 'warning', message: 'odd', validator: 'waf' },
    ]);
  });

  it.each([
    ['no JSON', 'yes'],
    ['no object', '[]'],
    ['another render', { id: 'x', valid: true }],
    ['no verdict', { id: plan.id }],
    ['a verdict that is no boolean', { id: plan.id, valid: 'true' }],
    ['messages that are no list', { id: plan.id, valid: true, messages: {} }],
    ['a message without text', { id: plan.id, valid: true, messages: [{ severity: 'warning' }] }],
    ['an unknown severity', { id: plan.id, valid: true, messages: [{ severity: 'fatal', message: 'm' }] }],
    [
      'errors of what is valid',
      { id: plan.id, valid: true, messages: [{ severity: 'error', message: 'm' }] },
    ],
  ])('takes %s for no answer', (_what, answer) => {
    expect(() => parse(answer)).toThrow(/its answer/);
  });
});
