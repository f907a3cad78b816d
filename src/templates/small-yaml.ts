import { Lexer } from 'yaml';

/** Longest text that is parsed, and most words and marks in it: the parser takes some 10 µs for each. */
const maxLength = 1024 * 1024;
const maxTokens = 50_000;

/** The text, if it is no more than what may be parsed while everything else waits; else a RangeError. */
export function smallYaml(text: string): string {
  if (text.length > maxLength) throw new RangeError(`the YAML has more than ${maxLength} characters`);
  let tokens = 0;
  for (const _token of new Lexer().lex(text)) {
    tokens++;
    if (tokens > maxTokens) throw new RangeError(`the YAML has more than ${maxTokens} words`);
  }
  return text;
}
