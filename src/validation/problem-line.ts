import { formatOwner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';

/** One problem on one line: `error BackendMissing, Ingress shop/web, spec.rules[0].http.paths[0].backend: …`. */
export function problemLine({ severity, reason, owner, field, message }: Problem): string {
  const where = field === '' ? formatOwner(owner) : `${formatOwner(owner)}, ${field}`;
  return `${severity} ${reason}, ${where}: ${message}`.replaceAll('\n', ' ');
}
