import { describe, expect, it } from 'vitest';
import { orderedMapFrom } from '../../../../src/lib/ordered-map.ts';
import type { FileKind, Plan, PlanFile } from '../../../../src/protocol/plan.ts';
import { publishedNames } from '../../../../src/sinks/publish/published-names.ts';
import { wantedFiles, wantedTwin } from '../../../../src/sinks/publish/wanted-files.ts';
import { bundleOf } from '../../../fixtures/bundle-of.ts';

const names = publishedNames('web');
const options = { names, configFile: '/etc/haproxy/haproxy.cfg', compressionThreshold: 100 };

const fileOf = (path: string, kind: FileKind, more: Partial<PlanFile> & { readonly text?: string } = {}) => {
  const { text = 'x', ...rest } = more;
  const bytes = Buffer.from(text);
  return {
    path,
    kind,
    reloadOnChange: true,
    digest: `digest of ${text}`,
    size: bytes.byteLength,
    content: () => [bytes],
    ...rest,
  };
};
const planOf = (...files: readonly PlanFile[]): Plan => ({
  ...bundleOf('a').plan,
  files: orderedMapFrom(files.map((file) => [file.path, file])),
});
const kindsOf = (plan: Plan, given = options) =>
  Object.fromEntries(wantedFiles(plan, given).others.map((file) => [file.fileName, file.kind]));

describe('wantedFiles', () => {
  it('shows each file by what it is, certificates as Secrets', () => {
    const plan = planOf(
      fileOf('haproxy.cfg', 'config'),
      fileOf('maps/a.map', 'map'),
      fileOf('general/b.http', 'general'),
      fileOf('ssl/c.txt', 'crtlist'),
      fileOf('ssl/d.pem', 'cert'),
      fileOf('ssl/e.pem', 'ca'),
      fileOf('ssl/f.pem', 'crl'),
    );
    expect(kindsOf(plan)).toStrictEqual({
      'a.map': 'map',
      'b.http': 'general',
      'c.txt': 'crtList',
      'd.pem': 'secret',
      'e.pem': 'secret',
      'f.pem': 'secret',
    });
    expect(wantedFiles(plan, options).config).toMatchObject({
      kind: 'config',
      name: 'web-haproxycfg',
      path: '/etc/haproxy/haproxy.cfg',
    });
    expect(wantedTwin(plan, options)).toMatchObject({ kind: 'config', name: 'web-haproxycfg-invalid' });
  });

  it('shows any file as a Secret that comes from one or holds a key', () => {
    const key = '-----BEGIN EC PRIVATE KEY-----\n';
    const plan = planOf(
      fileOf('general/key', 'general', { text: key }),
      fileOf('general/auth', 'general', { owner: { kind: 'Secret', namespace: 'a', name: 'b' } }),
      fileOf('general/page', 'general', { owner: { kind: 'Ingress', namespace: 'a', name: 'b' } }),
    );
    expect(kindsOf(plan)).toStrictEqual({ key: 'secret', auth: 'secret', page: 'general' });
  });

  it('has another digest when the object would be another', () => {
    const digestOf = (text: string, given: Partial<typeof options> = {}, path = 'maps/a.map') =>
      wantedFiles(planOf(fileOf(path, 'map', { text })), { ...options, ...given }).others[0]?.digest;
    const base = digestOf('x');
    expect(digestOf('x')).toBe(base);
    expect(digestOf('y')).not.toBe(base);
    expect(digestOf('x', { configFile: '/etc/other/haproxy.cfg' })).not.toBe(base);
    expect(digestOf('x', { compressionThreshold: 200 })).toBe(base);
    const large = 'x'.repeat(150);
    expect(digestOf(large, { compressionThreshold: 200 })).not.toBe(digestOf(large));
    expect(digestOf(large, { compressionThreshold: 200 })).toBe(digestOf(large, { compressionThreshold: 0 }));
  });

  it('places files beside haproxy.cfg', () => {
    const placed = wantedFiles(planOf(fileOf('maps/a.map', 'map'), fileOf('/abs/b', 'map')), {
      ...options,
      configFile: '/opt/h/haproxy.cfg',
    });
    expect(placed.others.map(({ path }) => path)).toStrictEqual(['/abs/b', '/opt/h/maps/a.map']);
  });
});
