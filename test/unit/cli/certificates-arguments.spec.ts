import { describe, expect, it } from 'vitest';
import { certificatesCommand } from '../../../src/cli/certificates-command.ts';
import { parseCertificatesArguments } from '../../../src/cli/certificates.ts';
import { lineOf } from './values-of.ts';

const parseIn = (env: Readonly<Record<string, string>>, ...argv: string[]) =>
  parseCertificatesArguments(lineOf(certificatesCommand, argv, env).values);
const parse = (...argv: string[]) => parseIn({}, ...argv);

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
    expect(parseIn({ KUBECONFIG: '/k' }, '--namespace', 'x')).toMatchObject({
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
    [['--dir', 'x', '--output', 'xml'], '--output must be text, json or yaml, not "xml"'],
    [['--namespace', 'x', '--issuer-secret', 'haptic-agent-tls'], 'must have different names'],
    [['--nonsense'], '--nonsense'],
  ])('refuses %j by name', (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
  });
});
