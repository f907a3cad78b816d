/**
 * The same string, stored as one run of characters. V8 keeps a concatenation as a tree of its pieces (32 bytes a node, and
 * every piece with it) until somebody looks into it; text that is kept for long is worth the look. Strings have no other
 * observable difference.
 */
export function flat(text: string): string {
  // Reading a character makes V8 write the tree out; the result must look used, or the read is optimised away.
  return Number.isNaN(text.charCodeAt(text.length - 1)) ? '' : text;
}
