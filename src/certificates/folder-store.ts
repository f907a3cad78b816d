import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { errorCode } from '../lib/error-code.ts';
import type { CertificateStore } from './certificate-store.ts';

/**
 * Certificates below a folder, laid out as Kubernetes lays out volumes: `server/tls.crt` leads through `server/..data` to one
 * revision `server/..rev-N`, which is exchanged by one rename. Only the owner can read (folders 0700, files 0600).
 *
 * A revision is complete when it gets its number, and each number is given once: of two writers one wins.
 */
export function folderStore(root: string): CertificateStore {
  return {
    read: async (holder) => {
      const folder = path.join(root, holder);
      for (let attempt = 1; ; attempt++) {
        const newest = await newestRevision(folder);
        if (newest === 0) return undefined;
        try {
          const revision = path.join(folder, revisionName(newest));
          const names = await readdir(revision);
          const texts = await Promise.all(names.map((name) => readFile(path.join(revision, name), 'utf8')));
          return {
            files: Object.fromEntries(names.map((name, i) => [name, texts[i] ?? ''])),
            revision: String(newest),
          };
        } catch (error) {
          // It went away for a newer one.
          if (attempt === 3 || errorCode(error) !== 'ENOENT') throw error;
        }
      }
    },
    write: async (holder, files, revision) => {
      const folder = path.join(root, holder);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeLeftovers(folder);
      const draft = await mkdtemp(path.join(folder, draftPrefix));
      for (const [name, text] of Object.entries(files))
        await writeFile(path.join(draft, name), text, { mode: 0o600, flush: true });
      const number = Number(revision ?? 0) + 1;
      try {
        await rename(draft, path.join(folder, revisionName(number)));
      } catch (error) {
        await rm(draft, { recursive: true, force: true });
        if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return false;
        throw error;
      }
      await publish(folder);
      // A writer so slow that its number had come and gone is not the newest: it begins again, like one that lost.
      return (await newestRevision(folder)) === number;
    },
  };
}

const revisionPrefix = '..rev-';
const draftPrefix = '..draft-';
const draftLifetimeMs = 600_000;

function revisionName(number: number): string {
  return `${revisionPrefix}${String(number)}`;
}

async function newestRevision(folder: string): Promise<number> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const numbers = names.filter((name) => /^\.\.rev-\d+$/.test(name)).map((name) => Number(name.slice(6)));
  return Math.max(0, ...numbers);
}

/** Points to the newest revision, whoever wrote it, and again if meanwhile there is a newer one. */
async function publish(folder: string): Promise<void> {
  for (;;) {
    const newest = await newestRevision(folder);
    const link = path.join(folder, '..data');
    await replaceLink(revisionName(newest), link);
    const names = await readdir(path.join(folder, '..data'));
    const shown = (await readdir(folder)).filter((name) => !name.startsWith('..'));
    for (const name of names.filter((name) => !shown.includes(name)))
      await replaceLink(path.join('..data', name), path.join(folder, name));
    for (const name of shown.filter((name) => !names.includes(name)))
      await rm(path.join(folder, name), { force: true });
    if ((await newestRevision(folder)) === newest && (await readlink(link)) === revisionName(newest)) {
      // The last one stays for those who are reading it.
      for (let old = newest - 2; old > 0 && old > newest - 10; old--)
        await rm(path.join(folder, revisionName(old)), { recursive: true, force: true });
      return;
    }
  }
}

async function replaceLink(target: string, link: string): Promise<void> {
  const draft = `${path.join(path.dirname(link), draftPrefix)}${randomUUID()}`;
  await symlink(target, draft);
  await rename(draft, link);
}

/** Of writers that were killed. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(draftPrefix)) continue;
    const found = await stat(path.join(folder, name)).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - draftLifetimeMs)
      await rm(path.join(folder, name), { recursive: true, force: true });
  }
}
