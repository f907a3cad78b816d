/** Takes a Kubernetes list apart while it arrives. */
export interface ListSplitter {
  /** The JSON texts of the items that this piece completed. */
  push(text: string): readonly string[];
  /** The list so far without its items, as JSON text of an object: what precedes the items, or all once the list ended. */
  head(): string;
  /** Length of the unfinished item. */
  readonly pending: number;
  /** True when the list's closing brace was seen. */
  readonly ended: boolean;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** `"items":` as a key of its own, at the end of what came before its bracket. */
const itemsKey = /(?:^|[^\\])"items"\s*:\s*$/;

/**
 * Splits `{"kind":…,"metadata":…,"items":[…]}` into item texts as its pieces arrive, so that a page of any size is parsed
 * object by object and never in one go. Keys may come in any order. Only the nesting is looked at; whether the texts
 * are valid JSON is for the parser to say.
 */
export function listSplitter(): ListSplitter {
  let rest = '';
  let item = '';
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inItems = false;
  let ended = false;

  const push = (text: string): readonly string[] => {
    const items: string[] = [];
    let start = 0;
    const take = (end: number): void => {
      if (inItems) item += text.slice(start, end);
      else rest += text.slice(start, end);
      start = end;
    };
    const finishItem = (end: number): void => {
      take(end);
      if (item.trim() !== '') items.push(item);
      item = '';
    };
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (inString) {
        if (escaped) escaped = false;
        else if (code === backslash) escaped = true;
        else if (code === quote) inString = false;
        continue;
      }
      switch (code) {
        case quote:
          inString = true;
          break;
        case openBracket:
          depth++;
          if (depth === 2 && !inItems) {
            take(at);
            const isItems = itemsKey.test(rest.slice(-64));
            take(at + 1);
            inItems = isItems;
          }
          break;
        case closeBracket:
          if (inItems && depth === 2) {
            finishItem(at);
            inItems = false;
          }
          depth--;
          break;
        case comma:
          if (inItems && depth === 2) {
            finishItem(at);
            start = at + 1;
          }
          break;
        case openBrace:
          depth++;
          break;
        case closeBrace:
          depth--;
          if (depth === 0) ended = true;
          break;
      }
    }
    take(text.length);
    return items;
  };

  return {
    push,
    head: () => (inItems ? `${rest}]}` : rest),
    get pending() {
      return item.length;
    },
    get ended() {
      return ended;
    },
  };
}
