import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { liveConfig } from '../../../src/cli/controller/live-config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { KubeTransport } from '../../../src/kube/kube-transport.ts';

const transport: KubeTransport = {
  request: () =>
    Promise.resolve({
      ok: false,
      failure: { kind: 'network', code: 'ECONNREFUSED', message: 'there is no API' },
    }),
  close: () => Promise.resolve(),
};

const live = liveConfig({
  namespace: 'haptic',
  name: 'main',
  shipped: [],
  transport,
  haproxy: { path: '/nonexistent/haproxy', version: '3.2.0' },
});

const resolvedWith = (pattern: string) => {
  const config = loadConfig([
    {
      name: 'test',
      text: JSON.stringify({
        haproxyConfig: { template: 'global\n' },
        watchedResources: {},
        validationTests: {
          prints: { assertions: [{ type: 'contains', target: 'haproxy.cfg', pattern }] },
        },
      }),
    },
  ]);
  return { config, sourceOfTemplate: (name: string) => name };
};

const testOf = (pattern: string) => firstValueFrom(live.test(resolvedWith(pattern)));

describe('liveConfig', () => {
  const { TMPDIR } = process.env;
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });

  it('passes a configuration whose tests pass', async () => {
    expect(await testOf('global')).toEqual({ ok: true, value: undefined });
  });

  it('refuses one that fails a test, for good', async () => {
    const result = await testOf('defaults');
    expect(result).toEqual({
      ok: false,
      errors: [expect.stringContaining('spec.validationTests.prints: contains failed')],
    });
  });

  it('says nothing final of one whose tests cannot run', async () => {
    process.env['TMPDIR'] = '/nonexistent';
    expect(await testOf('global')).toEqual({
      ok: false,
      errors: [expect.stringMatching(/^the tests cannot run: .*ENOENT/)],
      passing: true,
    });
  });
});
