/**
 * Connections that traffic frontends have accepted since the worker began, from `show stat -1 1 -1` (HAProxy management guide, 9.1
 * "CSV format"). Undefined when the text is no such table.
 */
export function countConnections(csv: string, ignoreFrontends: readonly string[]): number | undefined {
  const [header = '', ...rows] = csv.split('\n').filter((line) => line !== '');
  const columns = header.replace(/^# /, '').split(',');
  const [name, service, total] = ['pxname', 'svname', 'conn_tot'].map((column) => columns.indexOf(column));
  if (name === undefined || service === undefined || total === undefined || total < 0) return undefined;
  let sum = 0;
  for (const row of rows) {
    const cells = row.split(',');
    if (cells[service] !== 'FRONTEND' || ignoreFrontends.includes(cells[name] ?? '')) continue;
    sum += Number(cells[total] ?? 0);
  }
  return sum;
}
