import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { CodedError } from '../coded-error.ts';
import { errorCode } from '../error-code.ts';
import { errorMessage } from '../error-message.ts';
import { tlsFiles, type TlsMaterial, tlsMaterial } from './tls-material.ts';

/** An identity on disk that may be exchanged at any time. */
export interface TlsFolder {
  readonly dir: string;
  /**
   * What lies there now. Costs a few `stat`s while nothing changed; never an older content than the disk's.
   *
   * @throws CodedError `HAPTIC_ERR_TLS_MATERIAL` when it is missing or not usable
   */
  current(): TlsMaterial;
}

/**
 * Follows a folder of `tls.crt`, `tls.key`, `ca.crt` and, while trust overlaps, `previous-ca.crt` and `previous-ca-until`.
 * Where the folder has a `..data`, as volumes of Kubernetes do, all files are read from the one revision it points to.
 */
export function followTlsFolder(dir: string, now: () => number = Date.now): TlsFolder {
  let seen = '';
  let outcome: TlsMaterial | CodedError | undefined;
  return {
    dir,
    current: () => {
      const time = now();
      const signature = signatureOf(dir);
      if (outcome === undefined || signature !== seen || isStale(outcome, time)) {
        seen = signature;
        outcome = load(dir, time);
      }
      if (outcome instanceof CodedError) throw outcome;
      return outcome;
    },
  };
}

/** What is refused may become right by time alone (not valid yet), so it is looked at again. */
function isStale(outcome: TlsMaterial | CodedError, now: number): boolean {
  return outcome instanceof CodedError || now >= outcome.staleAt;
}

const attempts = 3;

/** Read without a pause in between: what fails while a revision goes away succeeds on the next one. */
function load(dir: string, now: number): TlsMaterial | CodedError {
  for (let attempt = 1; ; attempt++) {
    try {
      const revision = revisionOf(dir);
      const files = Object.fromEntries(
        tlsFiles.map((file) => [file, readOptional(path.join(revision, file))]),
      );
      if (revisionOf(dir) !== revision && attempt < attempts) continue;
      return tlsMaterial(files, now, dir);
    } catch (error) {
      if (error instanceof CodedError) return error;
      if (attempt < attempts) continue;
      const what = errorMessage(error);
      return new CodedError('HAPTIC_ERR_TLS_MATERIAL', `${dir}: ${what}`, { cause: error });
    }
  }
}

function revisionOf(dir: string): string {
  const data = path.join(dir, '..data');
  return realpathSync.native(statSync(data, { throwIfNoEntry: false }) === undefined ? dir : data);
}

function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Differs whenever any of the files was replaced or written. */
function signatureOf(dir: string): string {
  let signature = '';
  for (const file of tlsFiles) {
    const found = statSync(path.join(dir, file), { throwIfNoEntry: false, bigint: true });
    signature +=
      found === undefined
        ? '-'
        : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs};`;
  }
  return signature;
}
