import { describe, expect, it } from 'vitest';
import { doubtOf } from '../../../src/gate/guard/doubt-of.ts';
import { guardCrtList } from '../../../src/gate/guard/guard-crt-list.ts';
import { createGuard } from '../../../src/gate/guard/create-guard.ts';
import { withoutLoading } from '../../../src/gate/guard/without-loading.ts';
import { orderedMapFrom, type OrderedMap } from '../../../src/lib/ordered-map.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import type { Section } from '../../../src/protocol/plan.ts';

const gone = '# not judged before it is applied';
const sectionsOf = (...texts: readonly string[]) =>
  orderedMapFrom(
    texts.map((text, at): [string, Section] => [
      String(at),
      { kind: 'core', name: `part ${at}`, text, template: 'test:1:1' },
    ]),
  );
const inSlices = createGuard({ leavesOut: () => true });
const guard = (sections: OrderedMap<Section>) => runSlices(inSlices(sections));
const checked = (sections: OrderedMap<Section>) => runSlices(withoutLoading(sections));
const textsOf = (guarded: ReturnType<typeof guard>) =>
  Object.fromEntries([...guarded.edits].map(([key, { text }]) => [key, text]));

describe('a guarded configuration', () => {
  it('has comments where lines were that must not be given, and the beginnings of those that nobody knows', () => {
    const sections = sectionsOf('global\n  lua-load x\n  maxconn 1\n  frob x\n', 'frontend f\n  bind :80\n');
    const guarded = guard(sections);
    expect(textsOf(guarded)).toEqual({ 0: `global\n${gone}\n  maxconn 1\nfrob\n` });
    expect(guarded.leftOut).toEqual(
      new Map([
        [
          '0',
          [
            { text: '  lua-load x', risk: 'load' },
            { text: '  frob x', risk: 'unknown' },
          ],
        ],
      ]),
    );
    expect(textsOf(guard(sections))).toEqual(textsOf(guarded));
  });

  it('has no line that sections make together: what goes on in the next is judged as a whole', () => {
    for (const one of [guard, checked]) {
      const guarded = one(sectionsOf('global\n  lua-', '', 'load', ' x\n  maxconn 1\n'));
      const text = [0, 1, 2, 3]
        .map((key) => guarded.edits.get(String(key))?.text ?? ['global\n  lua-', '', 'load', ' x\n'][key])
        .join('');
      expect(text.replaceAll(/#.*/g, '')).not.toMatch(/lua-load/);
      expect(guarded.leftOut.has('3')).toBe(true);
    }
  });

  it('has no path that is to be replaced go on in another section', () => {
    const guarded = guard(sectionsOf('global\n  default-path origin ', '/etc\n'));
    expect(guarded.leftOut.has('1')).toBe(true);
    expect(guard(sectionsOf('global\n  default-path origin /x\n')).leftOut.size).toBe(0);
  });

  it('keeps what only its author has to answer for, where that is asked for', () => {
    const text = 'global\n  ca-base /etc\n  setenv A b\n  frob\n';
    expect(checked(sectionsOf(text)).edits.size).toBe(0);
    const all = 'global\n lua-load x\n ssl-passphrase-cmd x\nring r\n backing-file x\n';
    expect(textsOf(checked(sectionsOf(all)))).toEqual({
      0: `global\n${gone}\n${gone}\nring r\n${gone}\n`,
    });
  });
});

describe('a list of certificates', () => {
  it('keeps the lines that name files of the render', () => {
    const text = 'ssl/a.pem [alpn h2] a.example\nssl/b.pem\n';
    expect(guardCrtList(text)).toBe(text);
    expect(
      guardCrtList('ssl/a.pem\n/etc/x.pem\nssl/b.pem [ca-file /etc/y] b\nssl/../../c.pem\n"/etc/q"\n'),
    ).toBe(`ssl/a.pem\n${gone}\n${gone}\n${gone}\n${gone}\n`);
  });
});

describe('a refusal', () => {
  const doubt = (...texts: readonly string[]) => {
    const sections = sectionsOf(...texts);
    const isDoubtful = doubtOf(sections, guard(sections).edits);
    return (message: string) => isDoubtful({ message });
  };
  const isDoubtful = doubt(
    'global\n  lua-load x\n',
    'backend b\n  acl known lua.f\n  http-request lua.act if { path /q }\n  server s1 1.1.1.1:1 ssl ca-file /x\n  balance frob\n',
  );

  it('is doubtful where it mentions what was left out', () => {
    expect(isDoubtful("no such ACL : 'known'")).toBe(true);
    expect(isDoubtful("unable to find required server 'b/s1'")).toBe(true);
    expect(doubt('global\n  ca-base /etc\n')('unable to read x')).toBe(true);
  });

  it('counts where what was left out has no part in it', () => {
    expect(isDoubtful("no such ACL : 'other'")).toBe(false);
    expect(isDoubtful("unable to find required server 'b/s12'")).toBe(false);
    expect(isDoubtful("error in 'http-request deny' of '/q'")).toBe(false);
    expect(isDoubtful("unknown keyword 'known' in 'backend' section")).toBe(false);
    expect(doubt('global\n')('something')).toBe(false);
  });
});
