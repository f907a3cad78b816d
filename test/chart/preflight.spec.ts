import { expect, it } from 'vitest';
import { preflightCommand } from '../../src/cli/preflight-command.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import { chartDir } from '../fixtures/chart/render-chart.ts';
import { callOf } from '../unit/cli/values-of.ts';

const lines = [
  ['Helm 4', process.env['HAPTIC_HELM'] ?? ''],
  ['Helm 3', process.env['HAPTIC_HELM3'] ?? ''],
] as const;

describeChart('haptic preflight --set', () => {
  const preflight = async (helm: string, ...sets: readonly string[]) => {
    const { out } = await callOf(preflightCommand, [
      ...['--offline', '--chart', chartDir, '--namespace', 'default', '-o', 'json', '--kube-version', '1.34'],
      ...['--helm', helm, '--haproxy', 'no-such-haproxy', ...sets.flatMap((set) => ['--set', set])],
    ]);
    const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
    return findings
      .filter(({ check }) => check === 'values')
      .map(({ status, message }) => `${status}: ${message}`);
  };

  it.each(lines)('means what %s means by it', async (_, helm) => {
    expect(await preflight(helm, 'replicaCount=3,haproxy.drain.ignoreFrontends={status,other}')).toEqual([
      expect.stringMatching(/^ok: /),
    ]);
    expect(await preflight(helm, 'extraEnv[0].name=A', 'extraEnv[0].value=x\\,y', 'replicas=3')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^failed: .*replicas.* is no value of the chart/)]),
    );
    expect(await preflight(helm, 'haproxy.ports.http=8404')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^failed: haproxy\.ports/)]),
    );
  });

  it.each(lines)('that %s does not understand is told, and nothing of it', async (_, helm) => {
    const said = await preflight(helm, 'password.planted[x]=1');
    expect(said).toContain('failed: helm does not take what --set says');
    expect(said.join('\n')).not.toContain('planted');
  });

  it('is told to be left out where there is no helm', async () => {
    expect(await preflight('no-such-helm', 'replicaCount=3')).toContain(
      'skipped: --set is not looked at: there is no no-such-helm on PATH',
    );
  });
});
