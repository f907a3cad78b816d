import Handlebars from 'handlebars';

/** Longest template, in characters. */
const maxLength = 1024 * 1024;
/** Most expressions of a template, those in parentheses included: each takes about 0.1 ms until it is compiled. */
const maxExpressions = 10_000;
/** Most words, marks and braces in all its expressions. */
const maxTokens = 60_000;
/** Deepest nesting of blocks, of the branches of an `else if`, and of arguments in parentheses, together. */
const maxNesting = 100;
/** Shorter ones with less braces than it takes to nest too deep need no closer look. */
const smallLength = 64 * 1024;

export interface TemplateSize {
  /** At least as many as there are. */
  readonly expressions: number;
  /** Why it is too large to be parsed; absent if it is not. */
  readonly excess?: { readonly line: number; readonly column: number; readonly message: string };
}

/**
 * How large a template is. Handlebars parses and compiles by recursion, and its parser takes time by the square of the depth, so
 * this has to be known before it begins. O(length), without recursion.
 */
export function sizeOfTemplate(source: string): TemplateSize {
  if (source.length > maxLength) {
    const message = `longer than ${maxLength} characters`;
    return { expressions: 0, excess: { line: 1, column: 1, message } };
  }
  const expressions = source.match(/\{\{|\(/g)?.length ?? 0;
  return source.length <= smallLength && expressions <= maxNesting ? { expressions } : sizeByTokens(source);
}

/** The parts of Handlebars that its types leave out. */
interface Lexer {
  yy: object;
  readonly yylloc: { readonly first_line: number; readonly first_column: number };
  setInput(source: string): void;
  /** The number of a token. */
  lex(): unknown;
}
interface Parser {
  readonly lexer: Lexer;
  /** Names of tokens by number. */
  readonly terminals_: Readonly<Record<number, string>>;
}

const { Parser: parser } = Handlebars as unknown as { readonly Parser: Parser };
const openingBlock = new Set<unknown>(['OPEN_BLOCK', 'OPEN_INVERSE', 'OPEN_PARTIAL_BLOCK', 'OPEN_RAW_BLOCK']);
const closingBlock = new Set<unknown>(['OPEN_ENDBLOCK', 'END_RAW_BLOCK']);
const nesting = new Set<unknown>([...openingBlock, 'OPEN_INVERSE_CHAIN', 'OPEN_SEXPR']);
const expression = new Set<unknown>([...nesting, 'OPEN', 'OPEN_UNESCAPED', 'OPEN_PARTIAL']);

/** What is no template ends the search: the parser, which gets no further, says what is wrong there. */
function sizeByTokens(source: string): TemplateSize {
  const lexer = Object.create(parser.lexer) as Lexer;
  lexer.yy = {};
  lexer.setInput(source);
  /** Levels that the end of each open block closes, outermost first. */
  const levels: number[] = [];
  let depth = 0;
  let expressions = 0;
  let tokens = 0;
  const excess = (message: string): TemplateSize => {
    const { first_line: line, first_column: column } = lexer.yylloc;
    return { expressions, excess: { line, column: column + 1, message } };
  };
  for (;;) {
    const token = nextToken(lexer);
    if (token === undefined) return { expressions };
    if (token !== 'CONTENT' && token !== 'COMMENT') tokens++;
    if (expression.has(token)) expressions++;
    if (openingBlock.has(token)) levels.push(1);
    else if (token === 'OPEN_INVERSE_CHAIN') levels.push((levels.pop() ?? 0) + 1);
    if (nesting.has(token)) depth++;
    else if (closingBlock.has(token)) depth -= levels.pop() ?? 0;
    else if (token === 'CLOSE_SEXPR') depth--;
    if (depth > maxNesting) return excess(`nested more than ${maxNesting} deep`);
    if (expressions > maxExpressions)
      return excess(`more than ${maxExpressions} expressions in one template; split it into snippets`);
    if (tokens > maxTokens)
      return excess(
        `more than ${maxTokens} words in the expressions of one template; split it into snippets`,
      );
  }
}

/** Undefined at the end, and where the text is no template. */
function nextToken(lexer: Lexer): string | undefined {
  try {
    const token = lexer.lex();
    const name = typeof token === 'number' ? parser.terminals_[token] : undefined;
    return name === 'EOF' ? undefined : name;
  } catch {
    return undefined;
  }
}
