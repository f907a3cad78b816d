const commands = ['run', 'agent', 'certificates', 'sandbox'] as const;

export type CommandName = (typeof commands)[number];

export type ParsedCommand =
  | { readonly kind: 'command'; readonly name: CommandName; readonly argv: readonly string[] }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'unknown'; readonly name: string };

export const usage = `usage: haptic COMMAND [options]

  run           the controller: watches Kubernetes, renders, brings every HAProxy pod to the render
  agent         the sidecar of a HAProxy pod: takes files and runtime commands, reloads when it must
  certificates  issues and renews the certificates between controller and agents
  sandbox       everything on this machine: a Kubernetes API, a HAProxy with its agent, sample backends
  version       the version of this program
  help          this text

haptic COMMAND --help tells a command's options.
`;

/** The first word of argv; the rest belongs to the command. No word at all asks for help. */
export function parseCommand(argv: readonly string[]): ParsedCommand {
  const [word = 'help', ...rest] = argv;
  if (word === 'help' || word === '--help' || word === '-h') return { kind: 'help' };
  if (word === 'version' || word === '--version') return { kind: 'version' };
  const name = commands.find((command) => command === word);
  return name === undefined ? { kind: 'unknown', name: word } : { kind: 'command', name, argv: rest };
}
