import { X509Certificate } from 'node:crypto';
import { CodedError } from '../lib/coded-error.ts';
import { hasDnsName } from '../lib/tls/has-dns-name.ts';
import { type TlsMaterial, tlsMaterial, validityProblem } from '../lib/tls/tls-material.ts';
import type { CertificatePolicy } from './certificate-policy.ts';
import type { CertificateHolder, CertificateStore, StoredCertificates } from './certificate-store.ts';
import { isDue } from './is-due.ts';
import { crossSign, issueAuthority } from './issue-authority.ts';
import { type IdentityRole, issueIdentity } from './issue-identity.ts';
import type { KeyPair } from './x509.ts';

export interface RenewalDeps {
  readonly store: CertificateStore;
  readonly policy: CertificatePolicy;
  readonly now: () => number;
  /** A new authority and new identities, though nothing is due. */
  readonly force?: boolean;
}

/** What was written and why. */
export interface Renewal {
  readonly holder: CertificateHolder;
  readonly reason: string;
  readonly notAfter: string;
}

const attempts = 10;

/**
 * Makes authority and identities what they should be: there, valid for long enough, fitting together. Does nothing when they are.
 *
 * A new authority takes over without a gap: identities carry it signed by the former one too, so that peers who know only that one
 * believe them, and the former one stays trusted for the overlap, so that peers who still show its certificates are believed.
 * The authority is written before anything is issued by it; killed at any point, the next run finishes. Runs at the same time
 * find each other by the store's revisions: who loses a write looks again.
 *
 * @throws CodedError `HAPTIC_ERR_CERTIFICATES_BUSY` when others wrote all the time, `HAPTIC_ERR_CERTIFICATES_OVERLAP` when a
 *   rotation is asked for while the former one is not over, and what the store throws
 */
export async function renewCertificates(deps: RenewalDeps): Promise<readonly Renewal[]> {
  const done: Renewal[] = [];
  let force = deps.force ?? false;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const step = await nextStep(deps, force);
    if (step === undefined) return done;
    const { holder, files, revision, reason } = step;
    if (!(await deps.store.write(holder, files, revision))) continue;
    attempt = 0;
    force &&= holder !== 'issuer';
    done.push({
      holder,
      reason,
      notAfter: new X509Certificate(files['tls.crt'] ?? '').validToDate.toISOString(),
    });
  }
  throw new CodedError(
    'HAPTIC_ERR_CERTIFICATES_BUSY',
    'the certificates are being written by others; run again',
  );
}

interface Step {
  readonly holder: CertificateHolder;
  readonly files: Readonly<Record<string, string>>;
  readonly revision: string | undefined;
  readonly reason: string;
}

/** The first thing that is not as it should be, as the write that makes it so. Looks at everything anew. */
async function nextStep(deps: RenewalDeps, force: boolean): Promise<Step | undefined> {
  const { store, policy } = deps;
  const now = deps.now();
  const stored = await store.read('issuer');
  const step = (
    holder: CertificateHolder,
    files: Step['files'],
    from: typeof stored,
    reason: string,
  ): Step => ({
    holder,
    files,
    revision: from?.revision,
    reason,
  });

  const issuer = readIssuer(stored, now);
  if (typeof issuer === 'string') {
    const fresh = await issueAuthority(now, policy.validityMs);
    return step('issuer', authorityFiles(fresh), stored, issuer);
  }
  if (force && issuer.former !== undefined && issuer.former.until > now)
    throw new CodedError(
      'HAPTIC_ERR_CERTIFICATES_OVERLAP',
      `the last rotation ends at ${new Date(issuer.former.until).toISOString()}; rotate again after that`,
    );
  if (force || isDue(issuer.certificate, now)) {
    const fresh = await issueAuthority(now, policy.validityMs);
    const files = {
      ...authorityFiles(fresh),
      'cross-signed.crt': await crossSign(fresh, issuer.pair),
      'previous-ca.crt': issuer.pair.cert,
      'previous-ca-until': new Date(now + policy.overlapMs).toISOString(),
    };
    return step('issuer', files, stored, force ? 'asked for' : 'about to expire');
  }

  const identities = [];
  for (const role of ['server', 'client'] as const) {
    const held = await store.read(role);
    identities.push({ role, held, ...judge(held, role, issuer, policy, now) });
  }
  const stale = identities.filter(({ leaf }) => leaf === undefined);
  const { former } = issuer;
  // An earlier run did not get to the identities: the overlap begins when they change.
  if (stale.length > 0 && former !== undefined && former.until < now + policy.overlapMs * 0.9)
    return step(
      'issuer',
      { ...stored?.files, 'previous-ca-until': new Date(now + policy.overlapMs).toISOString() },
      stored,
      'the overlap begins anew',
    );
  for (const { role, held, leaf, reason } of identities) {
    const pair =
      leaf ??
      (await issueIdentity(issuer.pair, {
        role,
        dnsName: nameOf(role, policy),
        now,
        validityMs: policy.validityMs,
      }));
    const files = identityFiles(pair, issuer, now);
    if (leaf === undefined || !sameFiles(files, held?.files ?? {}))
      return step(role, files, held, leaf === undefined ? reason : 'trust changed');
  }
  if (former !== undefined && former.until <= now)
    return step('issuer', authorityFiles(issuer.pair), stored, 'the overlap is over');
  return undefined;
}

interface Issuer {
  readonly pair: KeyPair;
  readonly certificate: X509Certificate;
  readonly former?: { readonly cert: string; readonly cross: string; readonly until: number };
}

/** The stored authority, or why a new one is needed that nobody can vouch for. */
function readIssuer(stored: StoredCertificates | undefined, now: number): Issuer | string {
  if (stored === undefined || Object.keys(stored.files).length === 0) return 'there was none';
  const { files } = stored;
  try {
    const { leaf, cert, key } = tlsMaterial(onlyIdentity(files), now, 'issuer');
    if (!leaf.ca) return 'it is no authority';
    const former = files['previous-ca.crt'];
    const cross = files['cross-signed.crt'];
    const until = Date.parse(files['previous-ca-until'] ?? '');
    if (former === undefined || cross === undefined || Number.isNaN(until))
      return { pair: { cert, key }, certificate: leaf };
    return { pair: { cert, key }, certificate: leaf, former: { cert: former, cross, until } };
  } catch (error) {
    if (error instanceof CodedError) return `it was not usable (${error.message})`;
    throw error;
  }
}

/** Without the overlap, which is judged here and not by the reader. */
function onlyIdentity(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('previous-')));
}

interface Judgement {
  /** The pair to keep; absent when it must be issued anew, for this reason. */
  readonly leaf?: KeyPair;
  readonly reason: string;
}

const purposes: Readonly<Record<IdentityRole, string>> = {
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
};

function judge(
  held: StoredCertificates | undefined,
  role: IdentityRole,
  issuer: Issuer,
  policy: CertificatePolicy,
  now: number,
): Judgement {
  if (held === undefined || Object.keys(held.files).length === 0) return { reason: 'there was none' };
  let material: TlsMaterial;
  try {
    material = tlsMaterial(onlyIdentity(held.files), now, role);
  } catch (error) {
    if (error instanceof CodedError) return { reason: `it was not usable (${error.message})` };
    throw error;
  }
  const { leaf, key } = material;
  if (!leaf.checkIssued(issuer.certificate) || !leaf.verify(issuer.certificate.publicKey))
    return { reason: 'of another authority' };
  if (isDue(leaf, now)) return { reason: 'about to expire' };
  if (!hasDnsName(leaf, nameOf(role, policy))) return { reason: 'of another name' };
  // Node calls the extended usages so.
  if (!leaf.keyUsage.includes(purposes[role])) return { reason: 'of another purpose' };
  return { leaf: { cert: leaf.toString(), key }, reason: 'good' };
}

function nameOf(role: IdentityRole, policy: CertificatePolicy): string {
  return role === 'server' ? policy.serverName : policy.clientName;
}

function authorityFiles({ cert, key }: KeyPair): Readonly<Record<string, string>> {
  return { 'tls.crt': cert, 'tls.key': key, 'ca.crt': cert };
}

function identityFiles(pair: KeyPair, issuer: Issuer, now: number): Readonly<Record<string, string>> {
  const { former } = issuer;
  const overlaps =
    former !== undefined &&
    former.until > now &&
    validityProblem(new X509Certificate(former.cert), now) === undefined;
  return {
    'tls.crt': overlaps ? `${pair.cert}${former.cross}` : pair.cert,
    'tls.key': pair.key,
    'ca.crt': issuer.pair.cert,
    ...(overlaps && {
      'previous-ca.crt': former.cert,
      'previous-ca-until': new Date(former.until).toISOString(),
    }),
  };
}

function sameFiles(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
