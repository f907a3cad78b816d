import type { CliCall } from './cli-command.ts';
import { cliCommands } from './cli-commands.ts';
import { bashCompletion } from './completion/bash.ts';
import { completionTree } from './completion/completion-tree.ts';
import { fishCompletion } from './completion/fish.ts';
import { zshCompletion } from './completion/zsh.ts';
import type { completionOptions } from './completion-command.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `haptic completion SHELL` */
export function runCompletion({ words, out }: CliCall<typeof completionOptions>): Promise<number> {
  const [shell] = words;
  const print = shells[shell as keyof typeof shells];
  out(print(completionTree(cliCommands)));
  return Promise.resolve(0);
}
