/**
 * Reads the answer to `show stat BACKEND 2 -1`: the requests and connections that the backend has, those included that wait for a server. Columns are found by the
 * heading. Undefined: there is no such backend.
 */
export function parseBackendSessions(answer: string): number | undefined {
  const rows = answer.split('\n').map((row) => row.split(','));
  const heading = rows.find(([first]) => first === '# pxname') ?? [];
  const current = rows.find((row) => row[1] === 'BACKEND')?.[heading.indexOf('scur')];
  return current === undefined || !/^\d+$/.test(current) ? undefined : Number(current);
}
