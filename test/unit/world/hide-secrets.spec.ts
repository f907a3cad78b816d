import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Verdict } from '../../../src/gate/verdict.ts';
import { hideSecrets } from '../../../src/world/hide-secrets.ts';

const secret = (name: string, value: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
  data: { value: Buffer.from(value).toString('base64') },
});
const secrets = () => [
  secret('password', 'planted-password'),
  secret('key', '-----BEGIN PRIVATE KEY-----\nMIIplanted\n'),
];
const alert = (message: string) => ({ severity: 'alert' as const, message, file: 'haproxy.cfg', line: 7 });

describe('hideSecrets', () => {
  it('takes values out of all words of a refusal, and leaves the rest', () => {
    const verdict: Verdict = {
      kind: 'refused',
      planId: 'p',
      findings: [alert("unknown keyword 'planted-password'"), alert('no such backend')],
      output: '[ALERT] unknown keyword planted-password, or cGxhbnRlZC1wYXNzd29yZA==',
    };
    expect(hideSecrets(verdict, secrets)).toStrictEqual({
      kind: 'refused',
      planId: 'p',
      findings: [alert("unknown keyword '[redacted]'"), alert('no such backend')],
      output: '[ALERT] unknown keyword [redacted], or [redacted]',
    });
  });

  it('does the same with warnings, and with why no check could run', () => {
    const warning = { severity: 'warning' as const, message: 'user planted-password has none' };
    expect(hideSecrets({ kind: 'accepted', planId: 'p', warnings: [warning] }, secrets)).toMatchObject({
      warnings: [{ message: 'user [redacted] has none' }],
    });
    expect(
      hideSecrets({ kind: 'unchecked', planId: 'p', message: 'planted-password' }, secrets),
    ).toMatchObject({
      message: '[redacted]',
    });
  });

  it('asks for no Secret where there is nothing to say', () => {
    const verdict: Verdict = { kind: 'accepted', planId: 'p', warnings: [] };
    const asked = () => {
      throw new Error('asked');
    };
    expect(hideSecrets(verdict, asked)).toStrictEqual(verdict);
  });
});
