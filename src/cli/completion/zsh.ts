import type { CompletedFlag, CompletedPlace, CompletedValue } from './completion-tree.ts';

/** A file for a folder of `$fpath`; sourced after `compinit`, it registers itself. */
export function zshCompletion(places: readonly CompletedPlace[]): string {
  return `#compdef haptic
# zsh completion of haptic: made by \`haptic completion zsh\`
${places.map(placeFunction).join('\n')}
if [ "$funcstack[1]" = "_haptic" ]; then
  _haptic "$@"
else
  compdef _haptic haptic
fi
`;
}

function placeFunction({ path, children, flags, words, repeatsLast }: CompletedPlace): string {
  const specs = [
    ...flags.map(flagSpec),
    ...(children.length > 0 && words.length === 0 ? [`'1: :->child'`, `'*:: :->rest'`] : []),
    ...words.map((value, index) =>
      index === words.length - 1 && repeatsLast ? `'*:word:${action(value)}'` : `':word:${action(value)}'`,
    ),
  ];
  const lines = [
    `${functionOf(path)}() {`,
    `  local context state line`,
    `  typeset -A opt_args`,
    `  _arguments ${children.length > 0 ? '-C ' : ''}${specs.join(' \\\n    ')}`,
  ];
  if (children.length > 0)
    lines.push(
      `  case $state in`,
      `    child)`,
      `      local -a children`,
      `      children=(${children.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')})`,
      `      _describe command children`,
      `      ;;`,
      `    rest)`,
      `      case $line[1] in`,
      ...children.map(
        ({ name }) => `        ${name}) ${functionOf(path === '' ? name : `${path} ${name}`)} ;;`,
      ),
      `      esac`,
      `      ;;`,
      `  esac`,
    );
  return [...lines, '}'].join('\n');
}

function flagSpec({ flag, short, summary, repeat, value, placeholder = '' }: CompletedFlag): string {
  const text = `[${summary.replace(/[\\[\]:]/g, '\\$&')}]`;
  const argument = value === undefined ? '' : `:${placeholder}:${action(value)}`;
  const tail = quoted(`${text}${argument}`);
  const names = short === undefined ? flag : `{${short},${flag}}`;
  if (repeat) return short === undefined ? quoted(`*${flag}${text}${argument}`) : `'*'${names}${tail}`;
  return short === undefined ? quoted(`${flag}${text}${argument}`) : `'(${short} ${flag})'${names}${tail}`;
}

function action(value: CompletedValue): string {
  switch (value.kind) {
    case 'words':
      return `(${value.words.join(' ')})`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'anything':
      return ' ';
  }
}

function functionOf(path: string): string {
  return `_haptic${path === '' ? '' : `__${path.replaceAll(/[^a-z]/g, '_')}`}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
