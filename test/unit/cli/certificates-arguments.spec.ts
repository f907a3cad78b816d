import { describe, expect, it } from 'vitest';
import { certificatesUsage, parseCertificatesArguments } from '../../../src/cli/certificates.ts';

const parse = (...argv: string[]) => parseCertificatesArguments(argv, {});

describe('haptic certificates', () => {
  it('writes to a folder', () => {
    expect(parse('--dir', '/c')).toEqual({
      place: { kind: 'folder', dir: '/c' },
      policy: {
        serverName: 'haptic-agent-tls.haptic.svc',
        clientName: 'haptic-controller-tls.haptic.svc',
        validityMs: 365 * 86_400_000,
        overlapMs: 3_600_000,
      },
      rotate: false,
      json: false,
    });
  });

  it('or to three Secrets', () => {
    const names = {
      issuer: 'haptic-agent-issuer',
      server: 'haptic-agent-tls',
      client: 'haptic-controller-tls',
    };
    expect(parse('--namespace', 'haptic')).toMatchObject({
      place: { kind: 'secrets', namespace: 'haptic', names },
    });
    expect(parseCertificatesArguments(['--namespace', 'x'], { KUBECONFIG: '/k' })).toMatchObject({
      place: { kubeconfig: '/k' },
    });
  });

  it.each([
    [[], 'give either --dir or --namespace'],
    [['--dir', ''], 'give either --dir or --namespace'],
    [['--dir', 'x', '--namespace', 'y'], 'give either --dir or --namespace'],
    [['--dir', 'x', '--server-name', '*.svc'], '--server-name must be a DNS name'],
    [['--dir', 'x', '--client-name', ''], '--client-name must be a DNS name'],
    [['--dir', 'x', '--client-name', 'A.b', '--server-name', 'a.b'], 'must differ'],
    [['--dir', 'x', '--validity-days', '0'], '--validity-days'],
    [['--dir', 'x', '--validity-days', '1.5'], '--validity-days'],
    [['--dir', 'x', '--validity-days', '3651'], '--validity-days'],
    [['--dir', 'x', '--output', 'yaml'], '--output must be text or json'],
    [['--namespace', 'x', '--issuer-secret', 'haptic-agent-tls'], 'must have different names'],
    [['--nonsense'], '--nonsense'],
  ])('refuses %j by name', (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
  });

  it('tells about itself', () => {
    expect(parse('--help')).toBe('help');
    for (const flag of ['--rotate', '--validity-days', '--issuer-secret'])
      expect(certificatesUsage).toContain(flag);
  });
});
