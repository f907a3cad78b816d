import { describe, expect, it } from 'vitest';
import { refusalWords } from '../../../src/world/refusal-words.ts';

const source = (template: string) => `library base/snippet ${template}`;

describe('refusalWords', () => {
  it('says what is wrong, with template, object, file and line', () => {
    const owner = { kind: 'Ingress', namespace: 'ns', name: 'web' };
    const words = refusalWords(
      {
        kind: 'refused',
        planId: 'p',
        output: '',
        findings: [
          {
            severity: 'alert',
            message: "unknown keyword 'x'",
            template: 'frontends-500:3:7',
            owner,
            file: 'haproxy.cfg',
            line: 12,
          },
          { severity: 'alert', message: 'no checks', validator: 'require-checks', file: 'haproxy.cfg' },
          { severity: 'alert', message: 'nothing is known' },
        ],
      },
      source,
    );
    expect(words).toEqual([
      "unknown keyword 'x' (library base/snippet frontends-500:3:7, Ingress ns/web, haproxy.cfg:12)",
      'require-checks: no checks (haproxy.cfg)',
      'nothing is known',
    ]);
  });

  it('has the words of a check that could not run, and none of an acceptance', () => {
    expect(refusalWords({ kind: 'unchecked', planId: 'p', message: 'no memory' }, source)).toEqual([
      'no memory',
    ]);
    expect(refusalWords({ kind: 'accepted', planId: 'p', warnings: [] }, source)).toEqual([]);
  });
});
