import { type CliOptions, defineCommand } from './cli-command.ts';

export const completionOptions = {} as const satisfies CliOptions;

export const completionCommand = defineCommand({
  name: 'completion',
  summary: 'prints what teaches a shell to complete commands, flags and their values',
  words: [{ name: 'SHELL', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
  options: completionOptions,
  examples: [
    {
      what: 'In this bash',
      line: 'haptic completion bash > ~/.local/share/bash-completion/completions/haptic',
    },
    { what: 'In zsh, in a folder of $fpath', line: 'haptic completion zsh > ~/.zfunc/_haptic' },
    { what: 'In fish', line: 'haptic completion fish > ~/.config/fish/completions/haptic.fish' },
  ],
  load: async () => (await import('./completion.ts')).runCompletion,
});
