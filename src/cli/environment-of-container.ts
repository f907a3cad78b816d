import { records } from './fields.ts';

/** What a container's environment has as plain text, by name. */
export function environmentOfContainer({
  env,
}: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(
    records(env).flatMap(({ name, value }) =>
      typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : [],
    ),
  );
}
