import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import { at } from '../fixtures/chart/pods-of.ts';
import { renderChart } from '../fixtures/chart/render-chart.ts';

const root = path.join(import.meta.dirname, '../..');
const docs = path.join(root, 'docs');
const pages = [
  path.join(root, 'README.md'),
  ...readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(docs, name)),
];

/** `deployment/haptic-controller`, `service haptic-haproxy`, `--service-account haptic/haptic-controller` in commands. */
const named =
  /\b(deployment|daemonset|service|cronjob|lease|haproxytemplateconfig)[/ ](haptic[\w-]*)|--(service-account) haptic\/([\w-]+)|--(crd-name) ([\w-]+)/g;

describeChart('commands in the documentation', () => {
  it('name objects that a release called haptic has', async () => {
    const manifests = await renderChart({ release: 'haptic', namespace: 'haptic' });
    const there = new Set(manifests.map(({ kind, metadata }) => `${kind.toLowerCase()} ${metadata.name}`));
    const config = manifests.find(({ kind }) => kind === 'HAProxyTemplateConfig');
    there.add(`lease ${String(at(config?.spec, 'controller', 'leaderElection')?.['leaseName'])}`);
    const wrong: string[] = [];
    let found = 0;
    for (const page of pages)
      for (const line of readFileSync(page, 'utf8').split('\n')) {
        if (!/\bkubectl |\bhaptic (?:doctor|config|run) /.test(line)) continue;
        for (const [, kind, name, account, accountName, flag, configName] of line.matchAll(named)) {
          found += 1;
          const object =
            account === undefined
              ? flag === undefined
                ? `${kind ?? ''} ${name ?? ''}`
                : `haproxytemplateconfig ${configName ?? ''}`
              : `serviceaccount ${accountName ?? ''}`;
          if (!there.has(object)) wrong.push(`${path.basename(page)}: ${object}`);
        }
      }
    expect(found).toBeGreaterThan(8);
    expect(wrong).toEqual([]);
  });
});
