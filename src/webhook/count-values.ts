const [quote, backslash, comma, bracket, brace] = Buffer.from('"\\,[{');

/**
 * Counts the values of a JSON text while it comes, by what separates and opens them outside of strings: reading it costs time and memory
 * by their number more than by its length. Each call takes the next bytes and says how many there are so far.
 */
export function countValues(): (bytes: Uint8Array) => number {
  let values = 0;
  let isString = false;
  let isEscaped = false;
  return (bytes) => {
    for (const byte of bytes) {
      if (isEscaped) isEscaped = false;
      else if (isString) {
        if (byte === backslash) isEscaped = true;
        else if (byte === quote) isString = false;
      } else if (byte === quote) isString = true;
      else if (byte === comma || byte === bracket || byte === brace) values++;
    }
    return values;
  };
}
