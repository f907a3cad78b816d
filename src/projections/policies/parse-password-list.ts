import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { Parsed } from '../parsed.ts';
import { secretText } from '../tls/secret-text.ts';
import { parsePassword, type Password } from './parse-password.ts';

export interface User extends Password {
  readonly name: string;
}

export interface PasswordListContent {
  /** By name, in the order written; the first of equal names counts. */
  readonly users: readonly User[];
  /** What is wrong with single users, who cannot get in. */
  readonly faults: readonly string[];
}

const most = { bytes: 262_144, users: 1_000, faults: 5 };

/**
 * Who may get in, of a Secret: `auth`, in the format of htpasswd (`user:hash` or `user::password` a line); without it, each field is a user with what would stand after
 * the colon. Faults name lines and fields, and nothing of what is in them.
 */
export function parsePasswordList({ data }: KubeObject): Parsed<PasswordListContent> {
  const file = secretText(data, 'auth', most.bytes);
  if ('fault' in file) return file;
  const entries = file.value === undefined ? entriesOfFields(data) : entriesOfLines(file.value);
  if ('fault' in entries) return entries;
  if (entries.value.length > most.users)
    return { fault: `has ${entries.value.length} users, more than ${most.users}` };
  const users = new Map<string, User>();
  const faults: string[] = [];
  for (const { where, name, text } of entries.value) {
    const password = parsePassword(text);
    if (!/^[\x21-\x39\x3b-\x7e]{1,128}$/.test(name)) faults.push(`${where} has no name of a user`);
    else if (users.has(name)) faults.push(`${where} names a user again`);
    else if ('fault' in password) faults.push(`${where} ${password.fault}`);
    else users.set(name, { name, ...password.value });
  }
  const shown = faults.slice(0, most.faults);
  if (faults.length > shown.length) shown.push(`${faults.length - shown.length} more are like that`);
  return users.size === 0
    ? { fault: `has no user who could get in${shown.map((fault) => `; ${fault}`).join('')}` }
    : { value: { users: [...users.values()], faults: shown } };
}

interface Entry {
  /** `line 3` */
  readonly where: string;
  readonly name: string;
  readonly text: string;
}

function entriesOfLines(text: string): Parsed<readonly Entry[]> {
  const lines = text
    .split(/\r?\n/)
    .map((line, at) => ({ line: line.trim(), where: `line ${at + 1} of auth` }));
  return {
    value: lines.flatMap(({ line, where }) => {
      if (line === '' || line.startsWith('#')) return [];
      const colon = line.indexOf(':');
      return [{ where, name: line.slice(0, Math.max(colon, 0)), text: line.slice(colon + 1) }];
    }),
  };
}

function entriesOfFields(data: unknown): Parsed<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const name of isRecord(data) ? Object.keys(data) : []) {
    const text = secretText(data, name, most.bytes);
    if ('fault' in text) return text;
    // Keys of Secrets may be shown: whoever sees the Secret's name may see them.
    entries.push({ where: 'a field', name, text: text.value ?? '' });
  }
  return { value: entries };
}
