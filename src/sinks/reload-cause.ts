/** What a reason for a reload is about, few enough to be a label: the reasons themselves name objects. */
export type ReloadCause =
  | 'baseline'
  | 'pending_reload'
  | 'agent'
  | 'too_many_operations'
  | 'profile'
  | 'server'
  | 'backend'
  | 'map'
  | 'crt_list'
  | 'certificate'
  | 'config'
  | 'file'
  | 'section'
  | 'other';

const causes: readonly (readonly [RegExp, ReloadCause])[] = [
  [/^no baseline/, 'baseline'],
  [/^a reload of the pod is pending/, 'pending_reload'],
  [/^the agent does not execute/, 'agent'],
  [/^\d+ .* (are more than|to delete at once)/, 'too_many_operations'],
  [/^profile /, 'profile'],
  [/^backend [^:]*: server /, 'server'],
  [/^backend /, 'backend'],
  [/^map /, 'map'],
  [/^crt-list /, 'crt_list'],
  [/^(certificate|CA file|CRL file|ca-file|crl-file|cert) /i, 'certificate'],
  [/^(config|haproxy\.cfg)/, 'config'],
  [/^file /, 'file'],
  [/^(global|defaults|frontend|listen|peers|resolvers|userlist|cache|[a-z-]+)( [^:]*)?: /, 'section'],
];

export function reloadCause(reason: string): ReloadCause {
  return causes.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
}
