import { readFile, writeFile } from 'node:fs/promises';
import { Composer, CST, isMap, isScalar, isSeq, Parser, type Document, type ParsedNode } from 'yaml';
import { isRecord } from '../lib/is-record.ts';
import type { TestReport } from '../validation/test-report.ts';

/** An `expected` that was written anew. */
export interface GoldenUpdate {
  readonly file: string;
  readonly test: string;
  /** Index of the assertion. */
  readonly assertion: number;
}

interface Wanted {
  readonly test: string;
  readonly assertion: number;
  readonly text: string;
}

/**
 * Writes what was rendered into the files, where an `equals` expects something else: the scalar is replaced, and every other
 * character of the file stays, comments too. Of several files that have the assertions of a test, the last counts, as it does
 * when they are merged. Resolves to what was written.
 */
export async function updateGolden(
  report: TestReport,
  files: readonly string[],
): Promise<readonly GoldenUpdate[]> {
  let wanted = wantedOf(report);
  const updates: GoldenUpdate[] = [];
  for (const file of files.toReversed()) {
    if (wanted.length === 0) break;
    const text = await readFile(file, 'utf8');
    const { written, taken } = rewrite(text, wanted);
    if (written !== text) await writeFile(file, written);
    for (const { test, assertion } of taken) updates.push({ file, test, assertion });
    wanted = wanted.filter((one) => !taken.includes(one));
  }
  return updates;
}

function wantedOf({ tests }: TestReport): readonly Wanted[] {
  return tests.flatMap(({ testName, assertions }) =>
    assertions.flatMap(({ type, passed, actual }, assertion) =>
      type === 'equals' && !passed && actual !== undefined
        ? [{ test: testName, assertion, text: actual }]
        : [],
    ),
  );
}

/** The text with the scalars replaced, and those that it has a place for. */
function rewrite(text: string, wanted: readonly Wanted[]): { written: string; taken: readonly Wanted[] } {
  const tokens = [...new Parser().parse(text)];
  const documents = [...new Composer({ keepSourceTokens: true }).compose(tokens)];
  const taken: Wanted[] = [];
  for (const document of documents)
    for (const one of wanted) if (replaceExpected(document, one)) taken.push(one);
  return { written: taken.length === 0 ? text : tokens.map((token) => CST.stringify(token)).join(''), taken };
}

function replaceExpected(document: Document.Parsed, { test, assertion, text }: Wanted): boolean {
  const root = document.contents;
  if (!isMap(root)) return false;
  const isObject = isRecord(document.toJS()) && root.has('kind');
  const path = [...(isObject ? ['spec'] : []), 'validationTests', test, 'assertions', assertion, 'expected'];
  const node = nodeAt(root, path);
  // An alias or an absent text has no place of its own to be written to.
  if (!isScalar(node) || node.srcToken === undefined) return false;
  const isLong = text.includes('\n');
  CST.setScalarValue(node.srcToken, text, {
    afterKey: true,
    type: isLong ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE',
  });
  return true;
}

function nodeAt(root: unknown, path: readonly (string | number)[]): unknown {
  let at: unknown = root;
  for (const key of path) {
    if (isMap(at) || isSeq(at))
      at = (at as { get(key: unknown, keep: true): ParsedNode | undefined }).get(key, true);
    else return undefined;
  }
  return at;
}
