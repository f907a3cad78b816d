/** One word of a line, as written: quotes and backslashes are still in it. */
export interface ConfigWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** One line of haproxy.cfg, with the section it stands in. */
export interface ConfigLine {
  readonly text: string;
  /** Without comments. Empty for a line that says nothing. */
  readonly words: readonly ConfigWord[];
  /** `frontend`, `backend`, …; empty before the first section. */
  readonly section: string;
  /** Name of the section; empty where it has none. */
  readonly name: string;
}

const sections = new Set([
  'acme',
  'backend',
  'cache',
  'crt-store',
  'defaults',
  'dynamic-update',
  'fcgi-app',
  'frontend',
  'global',
  'http-errors',
  'listen',
  'log-forward',
  'log-profile',
  'mailers',
  'peers',
  'program',
  'resolvers',
  'ring',
  'traces',
  'userlist',
]);

const word = /(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s#\\"'])+|#/gy;

/** Splits haproxy.cfg into lines and words, by the quoting rules of HAProxy's configuration manual (section 2.2). */
export function configLines(config: string): readonly ConfigLine[] {
  let section = '';
  let name = '';
  return config.split('\n').map((text) => {
    const words = wordsOf(text);
    const [first, second] = words;
    if (first !== undefined && sections.has(first.text)) {
      section = first.text;
      name = second === undefined ? '' : unquoted(second.text);
    }
    return { text, words, section, name };
  });
}

function wordsOf(text: string): readonly ConfigWord[] {
  const words: ConfigWord[] = [];
  for (let at = 0; at < text.length;) {
    word.lastIndex = at;
    const match = word.exec(text);
    if (match === null) {
      at++;
      continue;
    }
    if (match[0] === '#') break;
    words.push({ text: match[0], start: match.index, end: word.lastIndex });
    at = word.lastIndex;
  }
  return words;
}

/** The word as HAProxy takes it, but for variables. */
export function unquoted(text: string): string {
  return text.replace(
    /\\(.)|"((?:\\.|[^"\\])*)"|'([^']*)'/g,
    (_whole, escaped?: string, double?: string, single?: string) =>
      escaped ?? double?.replace(/\\(.)/g, '$1') ?? single ?? '',
  );
}
