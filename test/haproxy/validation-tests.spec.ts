import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readdir, readlink } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { TemplateConfig } from '../../src/api/template-config.ts';
import { issueAuthority } from '../../src/certificates/issue-authority.ts';
import { readTestConfig } from '../../src/cli/read-test-config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { runValidationTests } from '../../src/validation/run-validation-tests.ts';
import type { TestReport } from '../../src/validation/test-report.ts';
import { describeEachLine, type HaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';

const libraries = fileURLToPath(new URL('../../charts/haptic/libraries', import.meta.url));
const containing = (text: string): unknown => expect.stringContaining(text);

const at = ({ path: binary, version }: HaproxyLine) => ({ path: binary, version });
const { cert: chain, key } = await issueAuthority(Date.now(), 86_400_000);
const failures = ({ tests }: TestReport) => tests.filter(({ passed }) => !passed);

describeEachLine('validation tests of the shipped libraries', (line) => {
  it('pass', async () => {
    const { config } = await readTestConfig({ libraries, files: [], libraryTests: true });
    const report = await runValidationTests({ config, haproxy: at(line), coverage: true });
    expect(failures(report)).toEqual([]);
    expect(report.totalTests).toBeGreaterThan(15);
    expect(report.coverage).toMatchObject({ uncovered: [] });
  });

  it('pass by the command', async () => {
    const main = path.resolve(import.meta.dirname, '../../src/main.ts');
    const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
      const args = [main, 'validate', '--haproxy', line.path, '--test', 'base-empty', '-o', 'tap'];
      execFile(process.execPath, args, (error, out) => resolve({ code: error?.code ?? 0, stdout: out }));
    });
    expect(stdout).toContain('\nok 1 - base-empty');
    expect(code).toBe(0);
  });
});

/** Two sites over TLS and in the clear, a TCP proxy, and what makes a configuration hard to move. */
const site: object = {
  watchedResources: { sites: { apiVersion: 'example.com/v1', resources: 'sites' } },
  haproxyConfig: {
    template: `global
    default-path config
    maxconn 200
defaults
    mode http
    timeout connect 2s
    timeout client 5s
    timeout server 5s
frontend web
    bind *:80,:8080
    http-request deny deny_status 403 if { src 192.0.2.0/24 }
    http-request redirect scheme https code 301 if { path_beg /secure } { dst_port 80 }
    http-request return status 200 content-type text/plain lf-string "%[dst_port]" if { path /port }
    http-request silent-drop if { path /drop }
    http-request reject if { path /reject }
    http-response set-header x-served-by web
    use_backend %[req.hdr(host),lower,map(maps/site.map)]
frontend tls
    bind :443 ssl crt ssl/site.pem
    http-response set-header x-sni "%[ssl_fc_sni]"
    use_backend %[req.hdr(host),lower,map(maps/site.map)]
frontend raw
    mode tcp
    bind :6000
    default_backend tcp
{{#forEach resources.sites as |s|}}
{{mapEntry "maps/site.map" (mapKey s.spec.host) (mapValue s.metadata.name)}}
{{#section (concat "backend " s.metadata.name)}}
backend {{sectionName s.metadata.name}}
    option httpchk
    server one {{s.spec.address}} check inter 1s{{#if s.spec.options}} {{{s.spec.options}}}{{/if}}
    server two {{s.spec.address}} backup
{{/section}}
{{/forEach}}
backend tcp
    mode tcp
    server only 10.255.255.1:7000 send-proxy-v2
{{certificate "site.pem" extraContext.chain extraContext.key}}
`,
  },
};

const siteObject = (name: string, options = '') => ({
  metadata: { name },
  spec: { host: `${name}.example.com`, address: '10.255.255.1:80', options },
});

describeEachLine('traffic', (line) => {
  const configOf = (assertions: readonly object[], more: object = {}): TemplateConfig =>
    loadConfig([
      {
        name: 'test',
        text: JSON.stringify({
          ...site,
          templatingSettings: { extraContext: { chain, key } },
          validationTests: {
            it: {
              fixtures: {
                sites: [
                  siteObject('plain'),
                  siteObject('secured', 'ssl verify required ca-file ssl/site.pem'),
                ],
              },
              assertions: assertions.map((one) => ({ type: 'traffic', ...one })),
              ...more,
            },
          },
        }),
      },
    ]);

  const run = async (assertions: readonly object[], more: object = {}) => {
    const report = await runValidationTests({
      config: configOf(assertions, more),
      haproxy: at(line),
      workers: 0,
    });
    return report.tests[0]!;
  };

  it('goes where the configuration sends it, however it comes in', async () => {
    const host = 'plain.example.com';
    const result = await run([
      {
        request: { host },
        expect: { status: 200, backend: 'plain', server: 'one', headers: { 'x-served-by': '^web$' } },
      },
      { request: { host: 'secured.example.com' }, expect: { backend: 'secured', server: 'one' } },
      { request: { host: 'other.example.com' }, expect: { status: 503, backend: '' } },
      {
        request: { host, path: '/secure' },
        expect: { status: 301, headers: { location: '^https://plain' }, backend: '' },
      },
      { request: { host, path: '/secure', port: 8080 }, expect: { status: 200 } },
      { request: { host, path: '/port', port: 8080 }, expect: { status: 200, body: '^8080$' } },
      { request: { host, clientAddress: '192.0.2.77' }, expect: { status: 403 } },
      { request: { host, clientAddress: '2001:db8::1' }, expect: { status: 200 } },
      { request: { host, path: '/reject' }, expect: { closed: true } },
      { request: { host, scheme: 'https' }, expect: { backend: 'plain', headers: { 'x-sni': `^${host}$` } } },
      { request: { host, scheme: 'https', sni: 'x.example.com' }, expect: { headers: { 'x-sni': '^x\\.' } } },
      { request: { host, scheme: 'https', sni: '' }, expect: { status: 200 } },
      {
        request: { port: 6000, path: '/raw' },
        expect: { backend: 'tcp', server: 'only', request: { path: '^/raw$' } },
      },
      {
        request: { host, answer: { status: 404, headers: { 'x-served-by': 'app' }, body: 'mine' } },
        expect: { status: 404, body: '^mine$', headers: { 'x-served-by': '^web$' }, server: 'one' },
      },
    ]);
    expect(result.renderError).toBeUndefined();
    expect(result.assertions.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(result.passed).toBe(true);
  });

  it('fails with everything that is different', async () => {
    const result = await run([
      { request: { host: 'plain.example.com' }, expect: { status: 500, backend: 'secured', body: 'x' } },
      { request: { path: '/reject' }, expect: { status: 200 } },
      { request: { port: 81 }, expect: { status: 200 } },
      { request: { clientAddress: 'somewhere' }, expect: { status: 200 } },
      { request: { path: 'a b' }, expect: { status: 200 } },
    ]);
    expect(result.assertions).toMatchObject([
      {
        passed: false,
        error: containing('status is 200, not 500; backend is "plain", not "secured"; body is none'),
      },
      { passed: false, error: containing('there was no answer') },
      {
        passed: false,
        error: 'assertions[2].request.port: no bind line has port 81; there is 80, 443, 6000, 8080',
      },
      { passed: false, error: 'assertions[3].request.clientAddress is no IP address: "somewhere"' },
      { passed: false, error: containing('there was no answer: Request path contains unescaped characters') },
    ]);
  });

  it('needs a configuration that HAProxy starts with, and says what is wrong', async () => {
    const result = await run(
      [{ request: { host: 'plain.example.com' }, expect: { status: 200 } }, { type: 'haproxy_valid' }],
      { fixtures: { sites: [siteObject('plain', 'nonsense')] } },
    );
    expect(result.assertions).toMatchObject([
      {
        passed: false,
        error: expect.stringMatching(/^HAProxy did not start: haproxy\.cfg:\d+: .*nonsense/) as unknown,
      },
      { passed: false, error: containing('nonsense') },
    ]);
    const [started, checked] = result.assertions.map(
      ({ error }) => /haproxy\.cfg:\d+/.exec(error ?? '')?.[0],
    );
    expect(started).toBe(checked);
    expect(result.assertions[1]?.error).toMatch(
      /^haproxy\.cfg:\d+: .*printed by haproxyConfig:.* for .*plain/,
    );
  });

  it('of a test that is broken off leaves neither HAProxy nor files behind', async () => {
    const config = configOf(
      Array.from({ length: 3 }, () => ({ request: { path: '/drop' }, expect: { status: 200 } })),
    );
    const report = await runValidationTests({ config, haproxy: at(line), workers: 1, timeoutMs: 6_000 });
    expect(report.tests[0]).toMatchObject({ passed: false });
    await eventually('no HAProxy of it runs', async () =>
      (await haproxiesOf(line.path)).length === 0 ? true : undefined,
    );
    expect(
      (await readdir(tmpdir())).filter((name) => name.startsWith(`haptic-tests-${String(process.pid)}-`)),
    ).toEqual([]);
  });
});

/** Processes of a binary whose working directory is a folder of checks of this process. */
async function haproxiesOf(binary: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [exe, cwd] = await Promise.all(
        ['exe', 'cwd'].map((name) => readlink(`/proc/${pid}/${name}`).catch(() => '')),
      );
      return exe === binary && cwd?.includes(`haptic-check-${String(process.pid)}-`) === true ? [pid] : [];
    }),
  );
  return found.flat();
}
