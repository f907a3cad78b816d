import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorCode } from '../../lib/error-code.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { isVersionAtLeast } from '../../lib/is-version-at-least.ts';
import { followTlsFolder } from '../../lib/tls/tls-folder.ts';
import { certificateLifetime } from './certificate-lifetime.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';

const oldestLine = '2.6';
/** Does the HAProxy that checks configurations run, and is it new enough? */
export async function checkHaproxy({
  haproxy,
  signal,
  installation,
}: DoctorDeps): Promise<readonly Finding[]> {
  const check = 'haproxy';
  try {
    const { stdout } = await promisify(execFile)(haproxy, ['-v'], { signal: signal() });
    const version = /version (\S+)/.exec(stdout)?.[1] ?? '';
    if (isVersionAtLeast(version, oldestLine))
      return [{ check, status: 'ok', message: `${haproxy} is ${version}` }];
    return [
      {
        check,
        status: 'failed',
        message: `${haproxy} is ${version || 'of no known version'}`,
        advice: `take ${oldestLine} or newer`,
      },
    ];
  } catch (error) {
    if (installation !== undefined && errorCode(error) === 'ENOENT' && !haproxy.includes('/'))
      return [
        {
          check,
          status: 'skipped',
          message: `there is no ${haproxy} on this machine; the release has its own`,
        },
      ];
    return [
      {
        check,
        status: 'failed',
        message: `${haproxy} does not run: ${errorMessage(error)}`,
        advice: 'without it no configuration is checked; --haproxy names another',
      },
    ];
  }
}

/** Are the certificates for the agents usable, and for how long? */
export function checkCertificates({ tlsDir, now }: DoctorDeps): readonly Finding[] {
  const check = 'certificates';
  if (tlsDir === undefined)
    return [
      {
        check,
        status: 'warning',
        message: 'agents are asked without TLS',
        advice: 'haptic certificates makes what TLS needs',
      },
    ];
  if (!existsSync(tlsDir))
    return [
      {
        check,
        status: 'skipped',
        message: `${tlsDir} is not there`,
        advice: 'say with --agent-tls-dir where the certificate is',
      },
    ];
  try {
    const { leaf, trust } = followTlsFolder(tlsDir, now).current();
    return [
      certificateLifetime(check, "the controller's certificate", leaf, now()),
      ...trust.map((authority) =>
        certificateLifetime(
          check,
          `the authority ${authority.subject.replaceAll('\n', ', ')}`,
          authority,
          now(),
        ),
      ),
    ];
  } catch (error) {
    return [
      {
        check,
        status: 'failed',
        message: errorMessage(error),
        advice: 'haptic certificates renews what is due',
      },
    ];
  }
}
