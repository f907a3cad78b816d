import { map } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { createTaps, type TapValue, type Taps } from '../../../src/operators/taps.ts';
import { whileOpen } from '../../../src/operators/while-open.ts';
import { tapLines } from '../../../src/server/tap-lines.ts';

const chunkOf = ({ json }: TapValue): Uint8Array => Buffer.from(json());
const states = { t: true, f: false };

function open(taps: Taps, names: readonly string[], sample?: number) {
  const lines = tapLines(taps, { names, sample, chunkOf });
  if (lines === undefined) throw new Error('no such tap');
  const value$ = lines.chunk$.pipe(map((chunk) => JSON.parse(Buffer.from(chunk).toString()) as string));
  return { ...lines, value$ };
}

describe('tapLines', () => {
  it('is nothing where a name is none', () => {
    const taps = createTaps();
    taps.point('x', String);
    expect(tapLines(taps, { names: ['x', 'y'], chunkOf })).toBeUndefined();
  });

  it(
    'goes on with the newest value that was not taken, and counts those between',
    marbles((m) => {
      const taps = createTaps();
      m.expect(m.hot('a-b-c-d-e--f').pipe(taps.point('x', String))).toBeObservable('a-b-c-d-e--f');
      const lines = open(taps, ['x']);
      const gate = m.hot('    t--f-----t--', states);
      m.expect(lines.value$.pipe(whileOpen(gate))).toBeObservable('a-b------e-f');
      // b is taken: c is the newest, then d is, and c is lost.
      const looks = m.hot('   -l-l-l-l-ll-', { l: 0 });
      m.expect(looks.pipe(map(() => String(lines.lost())))).toBeObservable('-0-0-0-1-00-');
    }),
  );

  it(
    'tells nothing twice',
    marbles((m) => {
      const taps = createTaps();
      m.expect(m.hot('a-----b').pipe(taps.point('x', String))).toBeObservable('a-----b');
      const lines = open(taps, ['x']);
      const gate = m.hot('    tf-tf-t', states);
      m.expect(lines.value$.pipe(whileOpen(gate))).toBeObservable('a-----b');
    }),
  );

  it(
    'loses nothing of what had passed before',
    marbles((m) => {
      const taps = createTaps();
      m.expect(m.hot('abc--d').pipe(taps.point('x', String))).toBeObservable('abc--d');
      m.expect(m.hot('       ---o--').pipe(map(() => String(open(taps, ['x']).lost())))).toBeObservable(
        '---0--',
      );
    }),
  );

  it(
    'counts the losses of all taps together, until they are skipped',
    marbles((m) => {
      const taps = createTaps();
      m.expect(m.hot('  abc---d-').pipe(taps.point('x', String))).toBeObservable('abc---d-');
      m.expect(m.hot('  klmn----').pipe(taps.point('y', String))).toBeObservable('klmn----');
      const lines = open(taps, ['x', 'y']);
      const skipped = () => {
        lines.skip();
        return lines.lost();
      };
      const looks = m.hot('----lsls-', { l: lines.lost, s: skipped });
      m.expect(looks.pipe(map((look) => String(look())))).toBeObservable('----5010-');
    }),
  );

  it(
    'does not describe what passes while nobody reads',
    marbles((m) => {
      const taps = createTaps();
      const described: string[] = [];
      const describeValue = (value: string) => (described.push(value), value);
      m.expect(m.hot('a-b-c-d').pipe(taps.point('x', describeValue))).toBeObservable('a-b-c-d');
      const lines = open(taps, ['x']);
      const gate = m.hot('    tf---t-', states);
      m.expect(lines.value$.pipe(whileOpen(gate))).toBeObservable('a----cd');
      m.flush();
      expect(described).toStrictEqual(['a', 'c', 'd']);
    }),
  );

  it(
    'samples: the current value at once, then the newest one of each period',
    marbles((m) => {
      const taps = createTaps();
      m.expect(m.hot('abcdefghi-----j').pipe(taps.point('x', String))).toBeObservable('abcdefghi-----j');
      const lines = open(taps, ['x'], 4);
      const gate = m.hot('    t--------------', states);
      m.expect(lines.value$.pipe(whileOpen(gate))).toBeObservable('a---e---i-----j');
    }),
  );

  it(
    'goes on sampling no sooner than a period after the last sample, and counts periods as lost',
    marbles((m) => {
      const taps = createTaps();
      const values = '        abcdefghijklmnopqrs-----t---';
      m.expect(m.hot(values).pipe(taps.point('x', String))).toBeObservable(values);
      const lines = open(taps, ['x'], 4);
      const gate = m.hot('    t-ft-f-----------t----------', states);
      m.expect(lines.value$.pipe(whileOpen(gate))).toBeObservable('a---e------------r---s---t--');
      const looks = m.hot('   -----l--l-------l-l---------', { l: 0 });
      m.expect(looks.pipe(map(() => String(lines.lost())))).toBeObservable('-----0--0-------2-0---------');
    }),
  );

  it(
    'counts no more samples lost than there were values',
    marbles((m) => {
      const taps = createTaps();
      m.expect(m.hot('a-b-c------------------').pipe(taps.point('x', String))).toBeObservable('a-b-c-');
      const lines = open(taps, ['x'], 4);
      const gate = m.hot('    tf-----------------', states);
      m.expect(lines.value$.pipe(whileOpen(gate))).toBeObservable('a------');
      const looks = m.hot('   ----------------l--', { l: 0 });
      m.expect(looks.pipe(map(() => String(lines.lost())))).toBeObservable('----------------1--');
    }),
  );
});
