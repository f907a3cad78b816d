import type { CompletedFlag, CompletedPlace, CompletedValue } from './completion-tree.ts';

/** A file for `~/.config/fish/completions`. */
export function fishCompletion(places: readonly CompletedPlace[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion of haptic: made by \`haptic completion fish\`
function __haptic_place
  set -l known ${paths.join(' ')}
  set -l place
  for word in (commandline -opc)[2..-1]
    set -l next (string join ' ' $place $word)
    contains -- $next $known; or break
    set place $place $word
  end
  string join ' ' -- $place
end
function __haptic_at
  test (__haptic_place | string collect --allow-empty) = "$argv[1]"
end
complete -c haptic -f
${places.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, children, flags, words }: CompletedPlace): string[] {
  const at = `complete -c haptic -n ${quoted(`__haptic_at ${quoted(path)}`)}`;
  return [
    ...children.map(({ name, summary }) => `${at} -a ${quoted(name)} -d ${quoted(summary)}`),
    ...flags.map((flag) => `${at} ${flagWords(flag)}`),
    ...words.map((value) => `${at}${valueWords(value)}`),
  ];
}

function flagWords({ flag, short, summary, value }: CompletedFlag): string {
  return [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    `-l ${flag.slice(2)}`,
    `-d ${quoted(summary)}`,
    ...(value === undefined ? [] : [`-x${valueWords(value)}`]),
  ].join(' ');
}

function valueWords(value: CompletedValue): string {
  switch (value.kind) {
    case 'words':
      return ` -a ${quoted(value.words.join(' '))}`;
    case 'files':
      return ` -a '(__fish_complete_path)'`;
    case 'folders':
      return ` -a '(__fish_complete_directories)'`;
    case 'anything':
      return '';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
