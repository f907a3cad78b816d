/**
 * What helpers take for each character or item of what they are given, in units of about 10 ns. Those that are not here take little,
 * whatever they are given.
 */
const weights: Readonly<Record<string, number>> = {
  // Lists.
  append: 1,
  compact: 1,
  concatLists: 1,
  flatten: 1,
  includes: 1,
  reverse: 1,
  shard: 1,
  slice: 1,
  sum: 2,
  pluck: 10,
  query: 10,
  countBy: 100,
  groupBy: 100,
  indexBy: 100,
  reject: 100,
  sort: 200,
  sortBy: 400,
  unique: 100,
  uniqueBy: 100,
  where: 100,
  globMatch: 50,
  cidrPartition: 200,
  // Texts.
  capitalize: 1,
  concat: 1,
  format: 2,
  indent: 5,
  indexOf: 1,
  join: 5,
  joinKey: 10,
  kebab: 20,
  lastIndexOf: 1,
  lines: 10,
  lower: 1,
  replace: 5,
  split: 5,
  title: 30,
  trim: 10,
  trimEnd: 10,
  trimStart: 10,
  upper: 1,
  regex: 20,
  regexEscape: 10,
  regexFind: 200,
  regexFindAll: 200,
  regexMatch: 200,
  regexReplace: 200,
  // Encodings.
  base64Decode: 3,
  base64Encode: 1,
  certificateInfo: 20,
  digest: 1,
  hex: 1,
  hmacSha256: 1,
  htmlEscape: 5,
  makeGuid: 10,
  md5: 1,
  parseJson: 5,
  parseYaml: 2000,
  sha1: 1,
  sha256: 1,
  untarGz: 5,
  urlDecode: 5,
  urlEncode: 5,
  json: 5,
  yaml: 1000,
};

/** How much a call of a helper had to do, as its arguments and its result tell. */
export type WorkMeter = (args: readonly unknown[], result: unknown) => number;

/** Undefined for a helper that has little to do, whatever it is given. */
export function workMeter(helper: string): WorkMeter | undefined {
  const weight = Object.hasOwn(weights, helper) ? weights[helper] : undefined;
  if (weight === undefined) return undefined;
  return (args, result) => {
    let size = sizeOf(result);
    for (const arg of args) size += sizeOf(arg);
    return weight * size;
  };
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 1;
}
