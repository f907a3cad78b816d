import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { issueCertificate } from '../fixtures/certificates.ts';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import { renderChart } from '../fixtures/chart/render-chart.ts';
import { haproxyLines } from '../fixtures/haproxy-lines.ts';

const main = path.join(import.meta.dirname, '../../src/main.ts');

describeChart('the program and HAProxy take the configuration of the chart', () => {
  const lines = haproxyLines().found;

  it.each(lines)('with HAProxy $line', async ({ path: haproxy }) => {
    expect(await validate(await configurationOf({}), haproxy)).toContain('1 passed, 0 failed');
  });

  it.each<[string, Readonly<Record<string, object>>]>([
    ['little memory', { haproxy: { resources: { limits: { memory: '128Mi' } } } }],
    ['a limit of processors', { haproxy: { resources: { limits: { cpu: '1500m' } } } }],
    ['addresses of both families', { haproxy: { bindAddress: '::' } }],
    ['HTTP/3', { haproxy: { quic: { enabled: true } } }],
    ['no HTTPS', { controller: { templateLibraries: { ssl: { enabled: false } } } }],
  ])('with %s', async (_name, values) => {
    const newest = lines.at(-1)?.path ?? 'haproxy';
    expect(await validate(await configurationOf(values), newest)).toContain('1 passed, 0 failed');
  });
});

/** Libraries and configuration, with a test that HAProxy takes them, and answers on the port that Services lead to. */
async function configurationOf(values: Readonly<Record<string, object>>): Promise<readonly object[]> {
  const { cert, key } = await issueCertificate();
  const selfSigned = {
    metadata: { namespace: 'edge', name: 'shop-haptic-self-signed' },
    type: 'Opaque',
    data: { 'tls.crt': btoa(cert), 'tls.key': btoa(key) },
  };
  const works = {
    fixtures: 'controller' in values ? {} : { secrets: [selfSigned] },
    assertions: [
      { type: 'haproxy_valid' },
      { type: 'traffic', request: { port: 8080, path: '/' }, expect: { status: 404, body: 'no route' } },
    ],
  };
  const controller = { ...values['controller'], config: { validationTests: { works } } };
  const manifests = await renderChart({ values: { ...values, controller } });
  return manifests.filter(({ apiVersion }) => apiVersion.startsWith('haproxy-haptic.org/'));
}

/** What `haptic validate` says, whatever that is. */
async function validate(objects: readonly object[], haproxy: string): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'haptic-chart-'));
  try {
    const file = path.join(dir, 'objects.yaml');
    await writeFile(file, objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n'));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      main,
      'validate',
      '--verbose',
      '-f',
      file,
      '--haproxy',
      haproxy,
    ]).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string });
    return `${stdout}${stderr}`;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
