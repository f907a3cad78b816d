/** What is kept: the authority with its key, the identity of each side, and what HAProxy shows where there is no other. */
export type CertificateHolder = 'issuer' | 'server' | 'client' | 'fallback';

export interface StoredCertificates {
  /** File name → text. */
  readonly files: Readonly<Record<string, string>>;
  /** Names this very content, for a later write. */
  readonly revision: string;
}

/** Where certificates are kept: a folder or Secrets. Contents are exchanged as a whole. */
export interface CertificateStore {
  read(holder: CertificateHolder): Promise<StoredCertificates | undefined>;
  /**
   * Replaces what was read, or makes it where nothing was; false, and nothing changed, when somebody else was faster.
   *
   * @param revision what was read; absent when nothing was there
   */
  write(
    holder: CertificateHolder,
    files: Readonly<Record<string, string>>,
    revision: string | undefined,
  ): Promise<boolean>;
}
