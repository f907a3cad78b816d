import { concat, finalize, map, NEVER, of, type Observable } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { createGate, defaultGateLimits } from '../../../src/gate/create-gate.ts';
import type { Validator } from '../../../src/gate/create-validator.ts';
import type { ProcessResult } from '../../../src/gate/run-process.ts';
import type { Verdict } from '../../../src/gate/verdict.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const plan = makePlan({ core: { global: 'global\n' }, backends: { shop: {} } });
const other = makePlan({ core: { global: 'global\n  maxconn 1\n' } });
const accepted: Verdict = { kind: 'accepted', planId: plan.id, warnings: [] };
const alert = '[ALERT]    (1) : config : parsing [haproxy.cfg:2] : unknown keyword\n';
const exit: Readonly<Record<string, ProcessResult>> = {
  o: { code: 0, output: '' },
  x: { code: 1, output: alert },
  d: { signal: 'SIGSEGV', output: '' },
  q: { code: 1, output: 'out of memory\n' },
  m: { code: 1, output: '[ALERT]    (1) : (null)out of memory.\n[ALERT]    (1) : (null)Error(s) found\n' },
  p: {
    code: 1,
    output: "[ALERT]    (1) : Failed to allocate pool 'x' of size 128 : Cannot allocate memory. Aborting.\n",
  },
};

/** A gate whose HAProxy is a stream; counts runs and the folders that are in use. */
function gateOn(
  run: (command: string, args: readonly string[], cwd: string) => Observable<ProcessResult>,
  validators: readonly Validator[] = [],
) {
  const seen = { runs: 0, roots: 0 };
  const urgent: (boolean | undefined)[] = [];
  const gate = createGate({
    haproxy: '/usr/sbin/haproxy',
    validators,
    limits: { ...defaultGateLimits, timeout: 20, remembered: 2 },
    withRoot: (_plan, use) => {
      seen.roots++;
      return use('/private/root').pipe(finalize(() => seen.roots--));
    },
    run: (command, args, { cwd, isUrgent }) => {
      seen.runs++;
      urgent.push(isUrgent);
      return run(command, args, cwd);
    },
  });
  return { gate, seen, urgent };
}

describe('gate', () => {
  it(
    'emits what HAProxy said and completes',
    marbles((m) => {
      const run = m.cold('    ---(o|)', exit);
      const subs = '          ^--!';
      const { gate, seen } = gateOn((command, args, cwd) => {
        expect([command, ...args, cwd]).toEqual([
          '/usr/sbin/haproxy',
          '-c',
          '-dr',
          '--',
          'haproxy.cfg',
          '/private/root', // prettier-ignore
        ]);
        return run;
      });
      m.expect(gate.check(plan)).toBeObservable('---(A|)', { A: accepted });
      m.expect(run).toHaveSubscriptions(subs);
      m.flush();
      expect(seen).toEqual({ runs: 1, roots: 0 });
    }),
  );

  it('hands nothing of its own environment to HAProxy but a search path', () => {
    const envs: unknown[] = [];
    const deps = {
      haproxy: 'haproxy',
      limits: defaultGateLimits,
      withRoot: <T>(_plan: unknown, use: (root: string) => Observable<T>) => use('/root'),
      run: (_command: string, _args: readonly string[], { env }: { env: unknown }) => {
        envs.push(env);
        return of(exit['o']!);
      },
    };
    createGate(deps).check(plan).subscribe();
    createGate({ ...deps, env: { PATH: '/opt/haproxy' } })
      .check(plan)
      .subscribe();
    expect(envs).toEqual([
      { PATH: expect.stringContaining('/usr/sbin') as unknown },
      { PATH: '/opt/haproxy' },
    ]);
  });

  it(
    'names the owner of the refused line and keeps the words of HAProxy, private paths taken out',
    marbles((m) => {
      const output = `${alert}[WARNING]  (1) : config : parsing [/private/root/haproxy.cfg:1] : odd\n`;
      const run = m.cold('---(r|)', { r: { code: 1, output } });
      const expected: Verdict = {
        kind: 'refused',
        planId: plan.id,
        output: output.replace('/private/root/', ''),
        findings: [
          {
            severity: 'alert',
            message: 'parsing [haproxy.cfg:2] : unknown keyword',
            file: 'haproxy.cfg',
            line: 2,
            section: { kind: 'backend', name: 'shop' },
            template: 'backends:1:1',
            owner: { kind: 'Service', namespace: 'default', name: 'shop' },
          },
        ],
      };
      m.expect(gateOn(() => run).gate.check(plan)).toBeObservable('---(X|)', { X: expected });
      m.expect(run).toHaveSubscriptions('                          ^--!');
    }),
  );

  it(
    'kills a check and takes its folder away when nobody waits for it any more',
    marbles((m) => {
      const run = m.cold('    ---------(o|)', exit);
      const unsub = '         ----!';
      const subs = '          ^---!';
      const { gate, seen } = gateOn(() => run);
      m.expect(gate.check(plan), unsub).toBeObservable('-----');
      m.expect(run).toHaveSubscriptions(subs);
      m.flush();
      expect(seen).toEqual({ runs: 1, roots: 0 });
    }),
  );

  it(
    'is urgent for as long as renders wait for a verdict: until one passes, and again after a refusal',
    marbles((m) => {
      const results = ['d', 'x', 'o', 'o', 'x', 'o'];
      const runs = results.map((result) => m.cold(`--(${result}|)`, exit));
      const all = runs.values();
      const { gate, urgent } = gateOn(() => all.next().value ?? NEVER);
      const plans = results.map((_result, n) =>
        makePlan({ core: { global: `global\n  maxconn ${n + 1}\n` } }),
      );
      const kind$ = concat(...plans.map((one) => gate.check(one))).pipe(map(({ kind }) => kind[0]));
      m.expect(kind$).toBeObservable('         --u-r-a-a-r-(a|)');
      m.expect(runs[0]!).toHaveSubscriptions(' ^-!          ');
      m.expect(runs[5]!).toHaveSubscriptions(' ----------^-!');
      m.flush();
      expect(urgent).toEqual([true, true, true, false, false, true]);
    }),
  );

  it(
    'gives up after its time-out, kills the check, and tries again when asked again',
    marbles((m) => {
      const hanging = m.cold('-');
      const { gate, seen } = gateOn(() => hanging);
      const unchecked: Verdict = {
        kind: 'unchecked',
        planId: plan.id,
        message: 'haproxy -c did not end within 0.02 s',
      };
      m.expect(gate.check(plan)).toBeObservable('20ms (U|)', { U: unchecked });
      m.expect(hanging).toHaveSubscriptions('     ^ 19ms !');
      m.flush();
      expect(seen).toEqual({ runs: 1, roots: 0 });
    }),
  );

  it(
    'answers a content that it knows at once and synchronously, accepted or refused',
    marbles((m) => {
      const runs = [m.cold('--(o|)', exit), m.cold('--(x|)', exit)];
      const { gate, seen } = gateOn(() => runs.shift() ?? NEVER);
      m.expect(gate.check(plan)).toBeObservable('--(A|)', { A: accepted });
      m.flush();
      const first: Verdict[] = [];
      const sub = gate.check({ ...plan }).subscribe((verdict) => first.push(verdict));
      expect([first, sub.closed, seen.runs]).toEqual([[accepted], true, 1]);
    }),
  );

  it('lays a remembered refusal on the owners of the plan at hand', () => {
    const { gate, seen } = gateOn(() => of(exit['x']!));
    const owners: unknown[] = [];
    const collect = (verdict: Verdict) =>
      owners.push(verdict.kind === 'refused' ? verdict.findings[0]?.owner?.name : verdict.kind);
    gate.check(plan).subscribe(collect);
    const { sections } = plan;
    const renamed = {
      ...plan,
      sections: {
        ...sections,
        chunks: sections.chunks.map((chunk) => ({
          ...chunk,
          values: chunk.values.map((one) => ({
            ...one,
            owner: { kind: 'Service', namespace: 'default', name: 'heir' },
          })),
        })),
      },
    };
    gate.check(renamed).subscribe(collect);
    expect(owners).toEqual(['shop', 'heir']);
    expect(seen.runs).toBe(1);
  });

  it('forgets the contents that were asked for longest ago', () => {
    const { gate, seen } = gateOn(() => of(exit['o']!));
    const ask = (which: typeof plan) => gate.check(which).subscribe();
    const third = makePlan({ core: { global: 'global\n  maxconn 3\n' } });
    for (const one of [plan, other, plan, third, plan]) ask(one);
    expect(seen.runs).toBe(3);
    ask(other);
    expect(seen.runs).toBe(4);
  });

  const failures: Readonly<Record<string, [string, string]>> = {
    'HAProxy gets no memory': [
      'm',
      'the check could not run: haproxy -c exited with 1: [ALERT]    (1) : (null)out of memory.\n[ALERT]    (1) : (null)Error(s) found',
    ],
    'HAProxy cannot even begin for want of memory': [
      'p',
      "the check could not run: haproxy -c exited with 1: [ALERT]    (1) : Failed to allocate pool 'x' of size 128 : Cannot allocate memory. Aborting.",
    ],
    'HAProxy crashes': ['d', 'the check could not run: haproxy -c was ended by SIGSEGV'],
    'HAProxy fails without a reason': [
      'q',
      'the check could not run: haproxy -c exited with 1: out of memory',
    ],
  };
  it.each(Object.entries(failures))(
    'is undecided when %s, and does not remember that',
    (_name, [key, message]) => {
      const { gate, seen } = gateOn(() => of(exit[key]!));
      const verdicts: Verdict[] = [];
      gate.check(plan).subscribe((verdict) => verdicts.push(verdict));
      gate.check(plan).subscribe();
      expect(verdicts).toEqual([{ kind: 'unchecked', planId: plan.id, message }]);
      expect(seen.runs).toBe(2);
    },
  );

  it(
    'is undecided when HAProxy cannot be started',
    marbles((m) => {
      const run = m.cold('-#', undefined, new Error('spawn haproxy ENOENT'));
      const message = 'the check could not run: spawn haproxy ENOENT';
      m.expect(gateOn(() => run).gate.check(plan)).toBeObservable('-(U|)', {
        U: { kind: 'unchecked', planId: plan.id, message },
      });
      m.expect(run).toHaveSubscriptions('                          ^!');
    }),
  );

  it.each(['../outside', '/etc/passwd', 'a//b', 'a/./b'])(
    'refuses a plan with a file at %s without a run',
    (path) => {
      const { gate, seen } = gateOn(() => NEVER);
      const verdicts: Verdict[] = [];
      gate
        .check(makePlan({ files: { [path]: { text: '' } } }))
        .subscribe((verdict) => verdicts.push(verdict));
      expect(verdicts).toMatchObject([{ kind: 'refused', findings: [{ file: path }] }]);
      expect(seen).toEqual({ runs: 0, roots: 0 });
    },
  );

  describe('with validators', () => {
    const said = {
      n: [],
      w: [{ severity: 'warning' as const, message: 'odd', validator: 'waf' }],
      x: [{ severity: 'alert' as const, message: 'never', file: 'haproxy.cfg', line: 2, validator: 'waf' }],
    };

    it(
      'asks all of them at once about what HAProxy accepts, and keeps their warnings',
      marbles((m) => {
        const run = m.cold('     --(o|)', exit);
        const waf = m.cold('       ---(w|)', said);
        const other = m.cold('     -(n|)', said);
        const { gate } = gateOn(
          () => run,
          [
            { name: 'waf', check: () => waf },
            { name: 'other', check: () => other },
          ],
        );
        const verdict = { ...accepted, warnings: said.w };
        m.expect(gate.check(plan)).toBeObservable('-----(A|)', { A: verdict });
        m.expect(waf).toHaveSubscriptions('  --^--!');
        m.expect(other).toHaveSubscriptions('--^!');
      }),
    );

    it(
      'refuses what one of them refuses, with the owner of the line, and remembers it',
      marbles((m) => {
        const waf = m.cold('(x|)', said);
        const { gate, seen } = gateOn(() => m.cold('(o|)', exit), [{ name: 'waf', check: () => waf }]);
        const check$ = concat(gate.check(plan), gate.check(plan));
        const findings = [{ ...said.x[0]!, section: { kind: 'backend' as const, name: 'shop' } }];
        m.expect(check$.pipe(map(shape))).toBeObservable('(xx|)', {
          x: { kind: 'refused', output: 'never', findings },
        });
        m.expect(waf).toHaveSubscriptions('(^!)');
        m.flush();
        expect(seen.runs).toBe(1);
      }),
    );

    it(
      'does not ask them about what HAProxy refuses',
      marbles((m) => {
        const waf = m.cold('(n|)', said);
        const { gate } = gateOn(() => m.cold('-(x|)', exit), [{ name: 'waf', check: () => waf }]);
        m.expect(gate.check(plan).pipe(map(({ kind }) => kind))).toBeObservable('-(x|)', { x: 'refused' });
        m.expect(waf).toHaveSubscriptions([]);
      }),
    );

    it(
      'gives no verdict when one cannot be asked: that is no consent, and is not remembered',
      marbles((m) => {
        const waf = m.cold('-#', said, new Error('validator waf: connect ENOENT'));
        const { gate } = gateOn(() => m.cold('(o|)', exit), [{ name: 'waf', check: () => waf }]);
        const unchecked: Verdict = {
          kind: 'unchecked',
          planId: plan.id,
          message: 'the check could not run: validator waf: connect ENOENT',
        };
        const check$ = concat(gate.check(plan), gate.check(plan));
        m.expect(check$).toBeObservable('-u(u|)', { u: unchecked });
        m.expect(waf).toHaveSubscriptions(['^!', '-^!']);
      }),
    );
  });
});

function shape(verdict: Verdict) {
  if (verdict.kind !== 'refused') return verdict;
  const findings = verdict.findings.map(({ template: _template, owner: _owner, ...rest }) => rest);
  return { kind: verdict.kind, output: verdict.output, findings };
}
