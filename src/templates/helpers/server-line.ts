import { isIP } from 'node:net';
import type { Keyword, Server } from '../../protocol/plan.ts';
import { bareWord, excerpt } from '../context/bare-word.ts';
import { plainText } from '../context/plain-text.ts';
import { quoteArgument } from '../context/quote-argument.ts';
import { sectionName } from '../context/section-name.ts';
import { numberOf } from './arguments.ts';

/** Reads the arguments of `{{server name address port weight= disabled= guid= keyword=…}}`; RangeErrors name the argument. */
export function serverOf(
  [name, address, port]: readonly unknown[],
  hash: Readonly<Record<string, unknown>>,
  withGuid: boolean,
): Server {
  const { weight, disabled, guid, ...rest } = hash;
  return {
    name: sectionName(name),
    address: addressOf(address),
    port: wholeNumber('port', port, 1, 65_535),
    ...(isGiven(weight) ? { weight: wholeNumber('weight', weight, 0, 256) } : {}),
    ...(disabled === true ? { disabled } : {}),
    ...(withGuid && isGiven(guid) ? { guid: sectionName(guid) } : {}),
    extra: keywordsOf(rest),
  };
}

/** Most servers have none of their own: their empty lists are one. */
const noKeywords: readonly Keyword[] = [];

/** `keyword=true` prints the keyword alone, `keyword=value` with its argument, `keyword=(array a b)` with several; false and nothing leave it out. */
export function keywordsOf(hash: Readonly<Record<string, unknown>>): readonly Keyword[] {
  const given = keywordOrder(hash).filter(([, value]) => isGiven(value) && value !== false);
  if (given.length === 0) return noKeywords;
  return given.map(([name, value]) => ({ name, args: value === true ? [] : argumentsOf(value) }));
}

/** Named arguments in the order in which they are written: Handlebars hands them over in reverse. */
export function keywordOrder(hash: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] {
  return Object.entries(hash).reverse();
}

function argumentsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((arg) => plainText(arg));
}

/** The `server` line. A bracketless IPv6 address is what HAProxy reads: the last colon is the port's. */
export function serverLine(server: Server): string {
  const words = ['    server', server.name, `${server.address}:${server.port}`];
  if (server.weight !== undefined) words.push('weight', String(server.weight));
  if (server.disabled === true) words.push('disabled');
  if (server.guid !== undefined) words.push('guid', server.guid);
  words.push(...server.extra.flatMap(keywordWords));
  return `${words.join(' ')}\n`;
}

/** A keyword and its arguments as they are printed; an argument that is no bare word is quoted. */
export function keywordWords(keyword: Keyword): string[] {
  return [keyword.name, ...keyword.args.map(printed)];
}

function printed(arg: string): string {
  try {
    return bareWord(arg);
  } catch {
    return quoteArgument(arg);
  }
}

function addressOf(value: unknown): string {
  const text = plainText(value);
  if (isIP(text) !== 0 && !text.includes('%')) return text;
  const labels = text.split('.');
  const isHostName =
    text.length <= 253 &&
    labels.every((label) => /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '');
  if (isHostName) return text;
  throw new RangeError(`the address ${excerpt(text)} is neither an IP address nor a host name`);
}

function wholeNumber(what: string, value: unknown, least: number, most: number): number {
  const number = numberOf(value);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`the ${what} ${number} is not a whole number from ${least} to ${most}`);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
