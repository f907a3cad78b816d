import type { CompletedPlace, CompletedValue } from './completion-tree.ts';

/** A bash function that needs no other package, and its registration. Works from bash 3.2 on. */
export function bashCompletion(places: readonly CompletedPlace[]): string {
  return `# bash completion of haptic: made by \`haptic completion bash\`
_haptic() {
  local current previous place word words flags index count
  local valued='${valuedFlags(places).join(' ')}'
  COMPREPLY=()
  current=\${COMP_WORDS[COMP_CWORD]}
  previous=\${COMP_WORDS[COMP_CWORD - 1]}
  # --flag=value comes as three words.
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  place=
  count=0
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$place/$word" in
${places.flatMap(({ path, children }) => children.map(({ name }) => `      '${path}/${name}') place='${join(path, name)}' ;;`)).join('\n')}
      */-*) ;;
      *) [[ " $valued " == *" \${COMP_WORDS[index - 1]} "* ]] || ((count++)) ;;
    esac
  done
  case "$place/$previous" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${places.map(placeCase).join('\n')}
  esac
  if [[ $current == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _haptic haptic
`;
}

function valuedFlags(places: readonly CompletedPlace[]): string[] {
  const names = places.flatMap(({ flags }) =>
    flags.flatMap(({ flag, short, value }) =>
      value === undefined ? [] : [flag, ...(short === undefined ? [] : [short])],
    ),
  );
  return [...new Set(names)];
}

function valueCases({ path, flags }: CompletedPlace): string[] {
  return flags.flatMap(({ flag, short, value }) => {
    if (value === undefined) return [];
    const names = [flag, short].filter((name) => name !== undefined);
    return [`    ${names.map((name) => `'${path}/${name}'`).join(' | ')}) ${reply(value)}; return ;;`];
  });
}

function placeCase({ path, children, flags, words, repeatsLast }: CompletedPlace): string {
  const names = flags.flatMap(({ flag, short }) => (short === undefined ? [flag] : [flag, short]));
  const lines = [
    `    '${path}')`,
    `      words='${children.map(({ name }) => name).join(' ')}'`,
    `      flags='${names.join(' ')}'`,
  ];
  for (const [index, value] of words.entries()) {
    const isLast = index === words.length - 1;
    const test = isLast && repeatsLast ? `count >= ${index}` : `count == ${index}`;
    if (value.kind === 'words')
      lines.push(`      if ((${test})); then words="$words ${value.words.join(' ')}"; fi`);
    else if (value.kind !== 'anything')
      lines.push(`      if [[ $current != -* ]] && ((${test})); then ${reply(value)}; return; fi`);
  }
  return [...lines, '      ;;'].join('\n');
}

// Names may hold blanks, and are quoted by bash itself.
const paths = String.raw`local IFS=$'\n'; compopt -o filenames 2>/dev/null;`;

function reply(value: CompletedValue): string {
  switch (value.kind) {
    case 'words':
      return `COMPREPLY=($(compgen -W '${value.words.join(' ')}' -- "$current"))`;
    case 'files':
      return `${paths} COMPREPLY=($(compgen -f -- "$current"))`;
    case 'folders':
      return `${paths} COMPREPLY=($(compgen -d -- "$current"))`;
    case 'anything':
      return 'COMPREPLY=()';
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path} ${name}`;
}
