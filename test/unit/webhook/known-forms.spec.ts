import { describe, expect, it } from 'vitest';
import { emptyOrderedMap, orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import type { Plan, Section } from '../../../src/protocol/plan.ts';
import { formsOf } from '../../../src/webhook/known-forms.ts';
import { planOf } from '../../../src/webhook/plan-of.ts';
import { createGrouping } from '../../../src/webhook/section-groups.ts';

const frame: Section = {
  kind: 'core',
  name: 'frame',
  text: 'defaults haptic-http\n  mode http\nfrontend http\n  bind :80\n',
} as Section;

function planWith(name: string, lines: readonly string[]): Plan {
  const text = `backend ${name} from haptic-http\n${lines.map((line) => `  ${line}\n`).join('')}`;
  return planOf({
    sections: orderedMapFrom([
      ['1', frame],
      ['2', { kind: 'backend', name, text } as Section],
    ]),
    backends: emptyOrderedMap(),
    profiles: emptyOrderedMap(),
    maps: emptyOrderedMap(),
    crtLists: emptyOrderedMap(),
    files: emptyOrderedMap(),
  });
}

/** Forms of a backend that is new. */
function formsWith(name: string, lines: readonly string[]): readonly string[] | undefined {
  const next = planWith(name, lines);
  return formsOf({
    accepted: next,
    next,
    groups: createGrouping().group(next.sections),
    naming: new Set(),
    changed: new Set(['2']),
    names: new Set(),
    paths: new Set(),
  });
}

describe('the form of a backend', () => {
  it('is the same whatever names, addresses, ports and weights are', () => {
    const one = formsWith('a', ['balance roundrobin', 'server s1 10.0.0.1:80 weight 1']);
    expect(one).toHaveLength(1);
    expect(formsWith('b', ['balance roundrobin', 'server x 10.9.9.9:8080 weight 200'])).toEqual(one);
    expect(
      formsWith('b', ['balance roundrobin', 'server x 10.9.9.9:1 weight 2', 'server y 10.9.9.8:1 weight 3']),
    ).toEqual(one);
  });

  it('is another one where anything else is other', () => {
    const forms = [
      ['server s 10.0.0.1:80'],
      ['server s [::1]:80'],
      ['server s 10.0.0.1:80 check'],
      ['server s 10.0.0.1:80 weight 300'],
      ['balance leastconn', 'server s 10.0.0.1:80'],
    ].map((lines) => String(formsWith('a', lines)));
    expect(new Set(forms).size).toBe(forms.length);
  });

  it.each([
    ['a rule that names a server', ['use-server s1 if { path /x }', 'server s1 10.0.0.1:80']],
    ['a condition on a server', ['http-request deny if { srv_is_up(s1) }', 'server s1 10.0.0.1:80']],
    ['a server that follows another', ['server s1 10.0.0.1:80', 'server s2 10.0.0.2:80 track s1']],
    ['a number of a server', ['server s1 10.0.0.1:80 id 5']],
    ['servers from a template', ['server-template s 1-2 10.0.0.1:80', 'server s1 10.0.0.1:80']],
    ['a server twice', ['server s1 10.0.0.1:80', 'server s1 10.0.0.2:80']],
    ['the name of its own', ['http-request deny if { nbsrv(a) eq 0 }', 'server s1 10.0.0.1:80']],
    ['a guid', ['guid x', 'server s1 10.0.0.1:80']],
    ['a host name', ['server s1 example.com:80']],
    ['a range of ports', ['server s1 10.0.0.1:+80']],
  ])('is not told where there is %s', (_what, lines) => {
    expect(formsWith('a', lines)).toBeUndefined();
  });

  it('is told where the cookie of a server is its name', () => {
    expect(formsWith('a', ['cookie S insert', 'server s1 10.0.0.1:80 cookie s1'])).toHaveLength(1);
  });

  it('keeps lines that stand there twice, and their order', () => {
    const once = formsWith('a', ['stick-table type ip size 1', 'server s 10.0.0.1:80']);
    const twice = formsWith('a', [
      'stick-table type ip size 1',
      'stick-table type ip size 1',
      'server s 10.0.0.1:80',
    ]);
    expect(twice).not.toEqual(once);
  });

  it('keeps what stands between servers: defaults count for those that follow', () => {
    const before = formsWith('a', ['server s 10.0.0.1:80 check', 'default-server ssl']);
    const around = formsWith('a', [
      'server s 10.0.0.1:80 check',
      'default-server ssl',
      'server t 10.0.0.2:80 check',
    ]);
    expect(around).not.toEqual(before);
  });
});
