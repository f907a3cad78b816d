/** One flag of a command, under its name without the dashes: a switch, unless it takes a `value`. */
export interface CliOption {
  /** What stands for the value in help: `FILE` and `DIR` are completed as paths. */
  readonly value?: string;
  readonly summary: string;
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  /**
   * A variable that is asked when the flag is not given, after that of command and flag, `HAPTIC_RUN_WATCH_TIMEOUT`; an empty one counts
   * as none. Of a switch: true, 1, false, 0.
   */
  readonly env?: string;
  /** What is taken when neither flag nor environment say anything. */
  readonly default?: string;
  /** In help, what is taken in that case, when it is no constant. */
  readonly otherwise?: string;
  readonly choices?: readonly string[];
  /** May be given several times; a variable's text is split at commas. */
  readonly repeat?: true;
  readonly required?: true;
}

export type CliOptions = Readonly<Record<string, CliOption>>;

type ValueOf<O extends CliOption> = O extends { readonly value: string }
  ? O extends { readonly repeat: true }
    ? readonly string[]
    : O extends { readonly default: string } | { readonly required: true }
      ? string
      : string | undefined
  : boolean;

export type CliValues<O extends CliOptions> = { readonly [Flag in keyof O]: ValueOf<O[Flag]> };

/** A word after the command's name: `FILE`, `POD`. */
export interface CliWord {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes all the words that are left. */
  readonly repeat?: true;
  readonly choices?: readonly string[];
}

export interface CliExample {
  /** What it is for, as a sentence without its full stop. */
  readonly what: string;
  /** What is typed, `haptic` included. */
  readonly line: string;
}

/** A command at work: what was asked for, and where its answer goes. */
export interface CliCall<O extends CliOptions = CliOptions> {
  readonly values: CliValues<O>;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGTERM and SIGINT: end in order then. */
  readonly signal: AbortSignal;
  /** stdout, for the answer alone. */
  readonly out: (text: string) => void;
  /** stderr, for everything else. */
  readonly err: (text: string) => void;
}

/**
 * Resolves to the exit code: 0 done, 1 failed or something was found wrong, 2 usage. What it throws is told on stderr behind the
 * command's name: exit code 2 for a CodedError whose code ends in `_USAGE`, else 1.
 */
export type CliAction<O extends CliOptions = CliOptions> = (call: CliCall<O>) => Promise<number>;

/**
 * A command as data: parsing, help, completion and docs/cli.md are made from it. A declaration imports nothing but constants;
 * `load` imports the code when the command is run.
 */
export interface CliCommand<O extends CliOptions = CliOptions> {
  /** `validate`, or `config view` below the command `config`. */
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** What there is to know besides, in paragraphs of plain text. */
  readonly description?: string;
  readonly words?: readonly CliWord[];
  readonly options: O;
  /** Variables without a flag. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What its exit codes mean, where that is more than 0 done, 1 failed, 2 usage. */
  readonly exitCodes?: Readonly<Record<string, string>>;
  readonly examples: readonly CliExample[];
  /** Uses RxJS: an error that no subscriber took ends the process. */
  readonly streams?: true;
  load(): Promise<CliAction<O>>;
}

/**
 * Checks a declaration. Its options are a constant of their own (`as const satisfies CliOptions`), by which the action is typed:
 * `CliCall<typeof validateOptions>`.
 */
export function defineCommand<const O extends CliOptions>(command: CliCommand<O>): DefinedCommand<O> {
  // The parser makes the values of an action from the very options that its type is derived from.
  return command as unknown as DefinedCommand<O>;
}

/** A command of the list, whose options are still known. */
export type DefinedCommand<O extends CliOptions = CliOptions> = CliCommand & { readonly options: O };
