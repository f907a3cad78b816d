/** What one file of test/soak exports: a test too long for every run, with figures instead of a list of passed tests. */
export interface Soak {
  /** Flag name (without dashes) → its meaning and default, as shown by the usage text. */
  readonly flags: Readonly<Record<string, string>>;
  readonly run: (input: SoakInput) => Promise<SoakReport>;
}

export interface SoakInput {
  /** `--name value` of the command line; only names of {@link Soak.flags}. */
  readonly values: Readonly<Record<string, string>>;
  /** One line of progress; goes to stderr. */
  readonly say: (text: string) => void;
}

/** Printed as JSON on stdout; `ok: false` makes the exit code 1, and then the report says how to see it again. */
export interface SoakReport {
  readonly ok: boolean;
  readonly [figure: string]: unknown;
}
