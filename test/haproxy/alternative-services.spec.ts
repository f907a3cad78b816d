import https from 'node:https';
import { expect, it } from 'vitest';
import { answerTo } from '../fixtures/answer-to.ts';
import { createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';
import { prefixed } from '../fixtures/prefixed.ts';

describeEachLine(
  'that HTTP/3 is served',
  (line) => {
    it.each([
      { newest: 'TLSv1.2', isAskingHostTold: false },
      { newest: 'TLSv1.3', isAskingHostTold: true },
    ])(
      'is not told for hosts that ask clients for a certificate by $newest, unless that is what HTTP/3 has',
      async ({ newest, isAskingHostTold }) => {
        const pool = await startEchoPool('root');
        const certificates = await createCertificatePool();
        const quic = await freeAddress();
        const hostOf = (name: string, annotations: Readonly<Record<string, string>>) =>
          ingress({
            name,
            rules: [rootRule(`${name}.example.com`)],
            tls: [{ hosts: [`${name}.example.com`], secretName: 'wild' }],
            annotations: prefixed(annotations),
          });
        const world = await startIngressTraffic(
          line,
          [
            ...pool.objects,
            certificates.secretOf('wild'),
            secret({ name: 'ours', data: { 'ca.crt': certificates.certificateOf('shop').cert } }),
            hostOf('open', {}),
            hostOf('asking', { 'auth-tls-secret': 'ours', 'auth-tls-verify-client': 'optional' }),
          ],
          {
            extraContext: {
              httpsQuicBind: `quic4@${quic.host}:${quic.port}`,
              sslRedirectPort: quic.port,
              tls: { clientCertificateMaxVersion: newest },
            },
          },
        );
        try {
          const toldAt = async (host: string) => {
            const { status, headers } = await answerTo(
              https.request({
                ...{ ...world.https, servername: host, headers: { host } },
                ...{ rejectUnauthorized: false, agent: false },
              }),
            );
            return [status, headers['alt-svc']];
          };
          const told = `h3=":${quic.port}"; ma=86400`;
          expect(await toldAt('open.example.com')).toEqual([200, told]);
          expect(await toldAt('asking.example.com')).toEqual([200, isAskingHostTold ? told : undefined]);
        } finally {
          await world.stop();
          await pool.stop();
        }
      },
    );
  },
  (line) => line === '3.2' || line === '3.4',
);
