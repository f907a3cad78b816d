import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterMissing } from '../../../scripts/cluster-missing.ts';
import { installMissing } from '../../../scripts/install-missing.ts';

const root = path.resolve(import.meta.dirname, '../../..');

describe('a cluster for tests', () => {
  it.each([
    [{ KUBECONFIG: '/k' }, undefined],
    [{ HAPTIC_CLUSTER_TOOLS: '/t' }, undefined],
    [{ KUBECONFIG: '/k', HAPTIC_CLUSTER_MISSING: 'no tools' }, undefined],
    [{ KUBECONFIG: '', HAPTIC_CLUSTER_MISSING: 'no tools' }, 'no tools'],
    [{}, 'neither KUBECONFIG nor HAPTIC_CLUSTER_TOOLS says where a Kubernetes API server is'],
  ])('with %j: %s', (env, reason) => {
    expect(clusterMissing(env)).toBe(reason);
  });

  it.each([
    [{ KUBECONFIG: '/k', HAPTIC_IMAGE: 'i' }, undefined],
    [{ KUBECONFIG: '/k' }, 'HAPTIC_IMAGE does not say which image the cluster of KUBECONFIG shall run'],
    [{ HAPTIC_NODE_TOOLS: '/t' }, undefined],
    [{ HAPTIC_IMAGE: 'i', HAPTIC_INSTALL_MISSING: 'no tools' }, 'no tools'],
    [{}, 'neither KUBECONFIG nor HAPTIC_NODE_TOOLS says where a cluster with nodes is'],
  ])('with nodes, by %j: %s', (env, reason) => {
    expect(installMissing(env)).toBe(reason);
  });

  it('that is missing is a skipped project and no failure', () => {
    const {
      KUBECONFIG: _kubeconfig,
      HAPTIC_CLUSTER_TOOLS: _tools,
      HAPTIC_NODE_TOOLS: _nodes,
      ...env
    } = process.env;
    const HAPTIC_INSTALL_MISSING = 'no nodes';
    const out = execFileSync(process.execPath, ['scripts/test.ts', 'cluster'], {
      cwd: root,
      env: { ...env, CI: 'true', HAPTIC_CLUSTER_MISSING: 'nothing to make one with', HAPTIC_INSTALL_MISSING },
      encoding: 'utf8',
    });
    expect(out).toBe(
      'skipped project cluster: nothing to make one with\nskipped project install: no nodes\n0 passed, 0 failed\n',
    );
  });
});

describe('.ci/run', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'haptic-ci-'));
    mkdirSync(path.join(folder, '.ci'));
    cpSync(path.join(root, '.ci/run'), path.join(folder, '.ci/run'));
    for (const name of ['apt-get']) {
      mkdirSync(path.join(folder, 'bin'), { recursive: true });
      writeFileSync(path.join(folder, 'bin', name), '#!/bin/sh\n');
      chmodSync(path.join(folder, 'bin', name), 0o755);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const ends = (test: string, cluster: string): { last: string; code: number } => {
    writeFileSync(
      path.join(folder, 'dev'),
      `#!/bin/sh\nif [ "$*" = "test cluster" ]; then ${cluster}; else ${test}; fi\n`,
      { mode: 0o755 },
    );
    const env = { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    try {
      const out = execFileSync(path.join(folder, '.ci/run'), { env, encoding: 'utf8', stdio: 'pipe' });
      return { last: out.trimEnd().split('\n').at(-1) ?? '', code: 0 };
    } catch (error) {
      const { stdout, status } = error as { stdout: string; status: number };
      return { last: stdout.trimEnd().split('\n').at(-1) ?? '', code: status };
    }
  };

  it.each([
    ['adds both totals', 'echo "7 passed, 0 failed"', 'echo "3 passed, 0 failed"', '10 passed, 0 failed', 0],
    [
      'takes a skipped cluster for no failure',
      'echo "7 passed, 0 failed"',
      'echo "0 passed, 0 failed"',
      '7 passed, 0 failed',
      0,
    ],
    [
      'counts failures of both',
      'echo "7 passed, 2 failed"; exit 1',
      'echo "3 passed, 1 failed"; exit 1',
      '10 passed, 3 failed',
      1,
    ],
    [
      'counts a run without a closing line as one failure',
      'echo dead; exit 0',
      'echo "3 passed, 0 failed"',
      '3 passed, 1 failed',
      1,
    ],
    [
      'counts a bad end after good tests as one failure',
      'echo "7 passed, 0 failed"; exit 3',
      'echo "3 passed, 0 failed"',
      '10 passed, 1 failed',
      1,
    ],
  ])('%s', (_what, test, cluster, last, code) => {
    expect(ends(test, cluster)).toStrictEqual({ last, code });
  });
});
