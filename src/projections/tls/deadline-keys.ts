import type { CertificateFacts } from './parse-certificate.ts';

/** Keys of what a Secret (by `namespace/name`) waits for. Times are part of them, so that a renewed certificate waits for its own. */
export const deadlineKeys = {
  missing: (secret: string) => `${secret} missing`,
  begins: (secret: string, { notBefore }: CertificateFacts) => `${secret} from ${notBefore}`,
  ends: (secret: string, { notAfter }: CertificateFacts) => `${secret} until ${notAfter}`,
} as const;
