import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { asNew } from '../fixtures/as-new.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { ingressClass, secret, service } from '../fixtures/kube-objects.ts';
import { secretForms } from '../fixtures/secret-forms.ts';
import { shippedConfig } from '../fixtures/shipped-config.ts';
import { startWatchedController } from '../fixtures/watched-controller.ts';

/** Values of Secrets that policies name; none of them may be seen anywhere. */
const canaries = {
  plain: 'canary-plain-8f31 with "blanks" $HOME',
  hash: `$6$canary8f32$${'c'.repeat(86)}`,
  refusedHash: `$2y$10$canary8f33${'d'.repeat(43)}`,
  user: 'canary-user-8f34',
  refusedUser: 'canary user 8f35',
  junk: 'canary-junk-8f36',
} as const;

const users = (name: string, auth: string) => secret({ name, type: 'Opaque', data: { auth } });

describeEachLine('what a controller tells of policies', (line) => {
  it('has no value of the Secrets that they name', async () => {
    const controller = await startWatchedController(
      line,
      shippedConfig(),
      [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
        ingressClass(),
        service({ name: 'web' }),
        users(
          'users',
          `${canaries.user}::${canaries.plain}\nann:${canaries.hash}\nben:${canaries.refusedHash}\n${canaries.refusedUser}::x\n`,
        ),
        users('hopeless', `ann:${canaries.junk}`),
        secret({ name: 'keys', type: 'Opaque', data: { 'key.pem': canaries.junk } }),
        annotatedIngress('good.example.com', { 'auth-secret': 'users' }),
        annotatedIngress('bad.example.com', { 'auth-secret': 'hopeless' }),
        annotatedIngress('token.example.com', { 'jwt-secret': 'keys' }),
      ].map(asNew),
    );
    try {
      // What is looked for is there, and the problems are told.
      await expect.poll(() => controller.hasRendered('canary8f32'), { timeout: 20_000 }).toBe(true);
      for (const reason of [/PasswordsInvalid/, /KeysInvalid/])
        await expect.poll(() => controller.has(reason), { timeout: 20_000 }).toBe(true);
      const forms = Object.values(canaries).flatMap(secretForms);
      const leaks = (await controller.told('v1/events'))
        .filter((text) => /canary.{0,12}8f3\d/.test(text) || forms.some((form) => text.includes(form)))
        .map((text) => text.slice(0, 2000));
      expect(leaks).toStrictEqual([]);
    } finally {
      await controller.stop();
    }
  });
});
