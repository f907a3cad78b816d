import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { helmMissing } from '../fixtures/chart/helm-missing.ts';
import { helmOf, renderChart } from '../fixtures/chart/render-chart.ts';
import { describeOnCluster } from '../fixtures/control-plane.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

const root = path.join(import.meta.dirname, '../..');
const pages = ['install', 'upgrade'].map((name) => readFileSync(path.join(root, `docs/${name}.md`), 'utf8'));
const blocksOf = (page: string | undefined, language: string) =>
  [...(page ?? '').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    (match) => match[1] ?? '',
  );
const missing = helmMissing(process.env);

describeOnCluster(
  'what the pages about installing say, on a real API server',
  (cluster) => {
    let kubectl: Kubectl;
    let home: string;
    let isTaken: boolean;
    const outputs: string[] = [];

    beforeAll(async () => {
      kubectl = await cluster.kubectl();
      // Of a cluster that is somebody's, nothing is touched.
      isTaken = (await kubectl.run(['get', 'namespace', 'haptic'])).code === 0;
      home = mkdtempSync(path.join(tmpdir(), 'haptic-install-'));
      symlinkSync(path.join(root, 'charts'), path.join(home, 'charts'));
      const program = path.join(home, 'haptic');
      writeFileSync(
        program,
        `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'src/main.ts')}' "$@"\n`,
      );
      chmodSync(program, 0o755);
      symlinkSync(helmOf(4), path.join(home, 'helm'));
    });
    afterAll(async () => {
      if (!isTaken) {
        await kubectl.run(['delete', 'ingress,service', 'hello', '-n', 'default']);
        await kubectl.run(['delete', 'namespace', 'haptic', '--wait=false']);
      }
      rmSync(home, { recursive: true });
      await kubectl.close();
    });

    const run = (script: string) =>
      promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
        timeout: 110_000,
        cwd: home,
        env: {
          PATH: `${home}${path.delimiter}${process.env['PATH'] ?? ''}`,
          HOME: home,
          TMPDIR: home,
          KUBECONFIG: cluster.kubeconfigPath,
          HAPTIC_HAPROXY: newestHaproxyLine()?.path ?? 'haproxy',
        },
      });

    const [install, upgrade] = pages.map((page) => blocksOf(page, 'sh'));
    // An upgrade comes before the end: the last block of the first page uninstalls.
    const blocks = [...(install ?? []).slice(0, -1), ...(upgrade ?? []), ...(install ?? []).slice(-1)];
    it.each(blocks.map((script, index) => [index + 1, script] as const))(
      'block %i: %s',
      async (_, script) => {
        if (isTaken) throw new Error('the cluster has a namespace haptic already: take one that has none');
        outputs.push((await run(script)).stdout);
      },
    );

    it('show what they promise', () => {
      expect(outputs).toHaveLength(blocks.length);
      const [, first, installed, , certificate, second, again, offline, crds, removed] = outputs;
      expect(first).toMatch(/^ok +release +haptic\/haptic is not installed: this is an install$/m);
      for (const text of [first, certificate, again, offline]) expect(text).not.toMatch(/^FAILED/m);
      expect(installed).toContain('HAPTIC 0.1.0 is installed as haptic in haptic.');
      expect(certificate).toMatch(
        /^ok +secrets +Secret haptic\/wildcard has what HAProxyTemplateConfig haptic-config needs$/m,
      );
      expect(second).toMatch(/^internal-haptic /m);
      expect(again).toMatch(/^ok +release +haptic\/haptic stays at chart 0\.1\.0$/m);
      expect(again).toMatch(/^ok +changes +nothing restarts, and HAProxy stays as it is$/m);
      expect(offline).toMatch(/^skipped kubernetes +the cluster is not looked at/m);
      expect(crds).toMatch(/unchanged \(dry run\)\n[^]*unchanged\n/);
      expect(removed).toMatch(/release "haptic" uninstalled/);
    });

    it('leave nothing behind but CRDs and what they say', async () => {
      const { stdout } = await kubectl.run([
        'get',
        'all,secret,configmap,role,rolebinding,serviceaccount,ingressclass,validatingwebhookconfiguration,clusterrole,clusterrolebinding',
        '-A',
        '-l',
        'app.kubernetes.io/name=haptic',
        '-o',
        'name',
      ]);
      expect(stdout.trim()).toBe('');
    });

    describe.each(blocksOf(pages[0], 'yaml').map((text, index) => [index + 1, text] as const))(
      'values %i of the page',
      (_, text) => {
        it('are values of the chart', async () => {
          const [document] = parseAllDocuments(text);
          const manifests = await renderChart({
            release: 'haptic',
            namespace: 'haptic',
            values: document?.toJS() as object,
          });
          expect(manifests.length).toBeGreaterThan(10);
        });
      },
    );
  },
  missing,
);
