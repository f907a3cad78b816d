import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Parsed } from '../parsed.ts';
import { isRevocationList } from './is-revocation-list.ts';
import { type PemBlock, pemBlocks } from './pem-blocks.ts';
import { secretText } from './secret-text.ts';
import { slowKey } from './slow-key.ts';

/** Authorities that are believed, and what they have revoked. */
export interface TrustFacts {
  /** PEM, no empty lines: at least one certificate. */
  readonly authorities: string;
  /** PEM: at least one list. Absent: nothing is asked about revocation. */
  readonly revoked?: string;
}

export type TrustContent =
  | { readonly kind: 'usable'; readonly facts: TrustFacts }
  /** What is wrong, in words that follow the name of the Secret; nothing of its content is in them. */
  | { readonly kind: 'invalid'; readonly fault: string };

/** Enough for every public authority at once. */
const mostBytes = 512 * 1024;

/** `ca.crt` and, where there is one, `ca.crl` of a Secret of any type (unvalidated JSON). Text around PEM blocks makes no difference. */
export function parseTrust({ data }: KubeObject): TrustContent {
  const authorities = readBlocks(data, 'ca.crt', /^(?:TRUSTED |X509 )?CERTIFICATE$/, isCertificate);
  if ('fault' in authorities) return { kind: 'invalid', fault: authorities.fault };
  if (authorities.value === undefined) return { kind: 'invalid', fault: 'has no certificate in ca.crt' };
  const [slow] = pemBlocks(authorities.value).flatMap(
    ({ pem }) => slowKey(new X509Certificate(pem).publicKey) ?? [],
  );
  if (slow !== undefined) return { kind: 'invalid', fault: `has an authority in ca.crt that ${slow}` };
  const revoked = readBlocks(data, 'ca.crl', /^X509 CRL$/, isRevocationList);
  if ('fault' in revoked) return { kind: 'invalid', fault: revoked.fault };
  return {
    kind: 'usable',
    facts: {
      authorities: authorities.value,
      ...(revoked.value === undefined ? {} : { revoked: revoked.value }),
    },
  };
}

/** The blocks of a field, each once; nothing where there is no such field. One that says nothing is not as good as none. */
function readBlocks(
  data: unknown,
  name: string,
  label: RegExp,
  isWhole: (block: PemBlock) => boolean,
): Parsed<string | undefined> {
  const text = secretText(data, name, mostBytes);
  if ('fault' in text) return text;
  if (text.value === undefined) return { value: undefined };
  const blocks = pemBlocks(text.value).filter((block) => label.test(block.label));
  if (blocks.length === 0) return { fault: `has nothing in PEM in ${name} that belongs there` };
  const broken = blocks.findIndex((block) => !isWhole(block));
  if (broken !== -1) return { fault: `has a block in ${name} that cannot be read (number ${broken + 1})` };
  return { value: [...new Set(blocks.map(({ pem }) => pem))].join('') };
}

function isCertificate({ pem }: PemBlock): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
