import type { Backend, Keyword, Server } from '../protocol/plan.ts';

/**
 * The typed content of a backend as one string: equal exactly when the records are equal. Text, owner and the reason for a
 * structural shape are left out: they do not say what HAProxy runs.
 */
export function backendRecord(backend: Backend): string {
  const { name, profile, mode, guid, balance, hashType, shape, bodyDigest } = backend;
  return JSON.stringify([
    name,
    profile,
    mode,
    guid ?? null,
    balance ?? null,
    hashType ?? null,
    shape,
    bodyDigest,
    keywordFields(backend.defaultServer),
    backend.servers.map(serverFields),
  ]);
}

function serverFields(server: Server): unknown[] {
  return [
    server.name,
    server.address,
    server.port,
    server.weight ?? null,
    server.disabled === true,
    server.guid ?? null,
    keywordFields(server.extra),
  ];
}

function keywordFields(keywords: readonly Keyword[]): readonly unknown[] {
  return keywords.map((keyword) => [keyword.name, ...keyword.args]);
}
