import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGuard } from '../../../src/gate/guard/create-guard.ts';
import { knownDirectives } from '../../../src/gate/guard/known-directives.ts';
import { judgeLine } from '../../../src/gate/guard/judge-line.ts';
import { withoutLoading } from '../../../src/gate/guard/without-loading.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import { bundleFile, createIngressRenderer } from '../../fixtures/ingress-renderer.ts';
import { annotatedIngress } from '../../fixtures/annotated-ingress.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../fixtures/kube-objects.ts';

const root = path.resolve(import.meta.dirname, '../../..');

function filesIn(folder: string, end: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => path.join(folder, name));
}

/**
 * Lines that look like some of a configuration, with a word where templates print something. Alternatives and loops within a line are for the render to show: both at
 * once are no line.
 */
function configLines(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/\{\{(else|#each)\b/.test(line))
    .map((line) => line.replaceAll(/\{\{(#|\/|else).*?\}\}/g, ' '))
    .map((line) => line.replaceAll(/\{\{\{?.*?\}\}\}?/g, 'x').trim())
    .filter(
      (line) => / /.test(line) && !line.includes('{{') && knownDirectives.has(line.split(' ')[0] ?? ''),
    );
}

describe('what HAProxy is given in a check', () => {
  it.each([
    [
      'the shipped libraries, but for scripts, which no check may run',
      filesIn('charts/haptic/libraries', '.yaml'),
      (text: string) => text,
      50,
      [
        'http-request lua.haptic_auth if { var(txn.haptic_auth) -m found }',
        'http-request lua.haptic_mirror if { var(txn.haptic_mirror) -m found } { internal.htx.has_eom -m bool }',
        'lua-load-per-thread general/auth-request.lua',
        'lua-load-per-thread general/mirror.lua',
      ],
    ],
    [
      'the documentation',
      filesIn('docs', '.md'),
      (text: string) => [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n'),
      30,
      [],
    ],
  ])('is every line of %s', (_what, files, blocksOf, least, leftOut) => {
    const lines = files.flatMap((file) => configLines(blocksOf(readFileSync(path.join(root, file), 'utf8'))));
    expect(lines.length).toBeGreaterThan(least);
    expect(lines.filter((line) => judgeLine(line).risk !== undefined).sort()).toEqual(leftOut);
  });

  it('is every line of a render of the shipped libraries', () => {
    const renderer = createIngressRenderer();
    renderer.put(ingressClass(), ingress(), service(), endpointSlice());
    renderer.put(
      annotatedIngress('pages.example.com', {
        'http-response-429': 'slowly',
        'http-response-503': 'soon\n\nback',
      }),
      annotatedIngress('access.example.com', {
        'allowlist-source-range': '10.0.0.0/8, fd00::/8',
        'limit-rps': '5',
        'limit-by': 'header:X-Api-Key',
        'proxy-body-size': '8m',
        'auth-secret': 'users',
        'jwt-secret': 'keys',
        'jwt-audience': 'shop',
        'jwt-claims-headers': 'sub:X-User',
      }),
    );
    const bundle = renderer.bundle();
    const config = bundleFile(bundle, 'haproxy.cfg');
    for (const word of ['http-error', 'haptic_token', 'http_auth(', 'stick-table', 'wait-for-body'])
      expect(config).toContain(word);
    const { sections } = bundle.plan;
    expect(sections.size).toBeGreaterThan(3);
    const guard = createGuard({ leavesOut: () => true });
    for (const { leftOut } of [guard, withoutLoading].map((one) => runSlices(one(sections))))
      expect(leftOut).toEqual(new Map());
  });
});
