import type { CliCommand, CliOption, CliWord } from '../../src/cli/cli-command.ts';
import { cliCommands } from '../../src/cli/cli-commands.ts';
import { describeOption } from '../../src/cli/describe-command.ts';
import { cliGuide } from './cli-guide.ts';

/** docs/cli.md: tasks first, then what each command takes, as its declaration says. */
export function cliReference(): string {
  return `# Command line

<!-- Generated from src/cli and scripts/reference/cli-guide.ts by ./dev generate. -->
<!-- prettier-ignore-start -->

${cliGuide}
## All commands

| command | what it does |
| --- | --- |
${cliCommands.map(({ name, summary }) => `| [\`${name}\`](#${anchor(name)}) | ${cell(summary)} |`).join('\n')}

${cliCommands.map(section).join('\n')}<!-- prettier-ignore-end -->
`;
}

function section(command: CliCommand): string {
  const { name, summary, description, words = [], options, environment, exitCodes, examples } = command;
  const usage = [
    'haptic',
    name,
    ...words.map(wordText),
    ...(Object.keys(options).length > 0 ? ['[options]'] : []),
  ];
  const parts = [
    `### ${name}`,
    `\`${usage.join(' ')}\``,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${description === undefined ? '' : ` ${description}`}`,
    ...table(
      'word',
      words.map((word) => [`\`${wordText(word)}\``, wordMeaning(word)] as const),
    ),
    ...table(
      'option',
      Object.entries(options).map(
        ([flag, option]) => [`\`${flagText(flag, option)}\``, describeOption(option)] as const,
      ),
    ),
    ...table(
      'variable',
      Object.entries(environment ?? {}).map(
        ([names, text]) => [`\`${names.replaceAll(', ', '`, `')}\``, text] as const,
      ),
    ),
    ...table('exit code', Object.entries(exitCodes ?? {})),
    `\`\`\`text\n${examples.map(({ what, line }) => `# ${what}\n${line}`).join('\n')}\n\`\`\``,
  ];
  return `${parts.join('\n\n')}\n`;
}

function table(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  if (rows.length === 0) return [];
  return [
    `| ${title} | |\n| --- | --- |\n${rows.map(([name, text]) => `| ${name} | ${cell(text)} |`).join('\n')}`,
  ];
}

function wordText({ name, optional, repeat }: CliWord): string {
  const text = `${name}${repeat === true ? '...' : ''}`;
  return optional === true ? `[${text}]` : text;
}

function wordMeaning({ summary, choices }: CliWord): string {
  return choices === undefined
    ? summary
    : `${summary}: ${choices.map((choice) => `\`${choice}\``).join(', ')}`;
}

function flagText(flag: string, { short, value }: CliOption): string {
  return `${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}`;
}

function anchor(name: string): string {
  return name.replaceAll(' ', '-');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
