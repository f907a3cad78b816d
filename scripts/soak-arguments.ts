export type SoakArguments =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** `--name value` and `--name=value`, for the names that the soak knows; a name given twice counts as its last value. */
export function parseSoakArguments(
  args: readonly string[],
  flags: Readonly<Record<string, string>>,
): SoakArguments {
  const values: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const [, name = '', , inline] = /^--([a-z][a-z-]*)(=(.*))?$/s.exec(arg) ?? [];
    if (!Object.hasOwn(flags, name)) return { ok: false, message: `unknown argument: ${arg}` };
    const value = inline ?? args[++at];
    if (value === undefined) return { ok: false, message: `--${name} needs a value` };
    values[name] = value;
  }
  return { ok: true, values };
}
