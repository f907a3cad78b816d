import { readFile, writeFile } from 'node:fs/promises';
import { Composer, CST, isMap, isScalar, isSeq, Parser, type Document } from 'yaml';
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
  const place = placeAt(root, path);
  // An alias or an absent text has no place of its own to be written to.
  if (place === undefined || !isScalar(place.node) || place.node.srcToken === undefined) return false;
  const isBlock = text.includes('\n') && !place.inFlow;
  CST.setScalarValue(place.node.srcToken, text, {
    afterKey: true,
    inFlow: place.inFlow,
    type: isBlock ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE',
  });
  return true;
}

/** The node at a path, and whether it stands within braces or brackets, where a block has no place. */
function placeAt(
  root: unknown,
  path: readonly (string | number)[],
): { readonly node: unknown; readonly inFlow: boolean } | undefined {
  let node = root;
  let inFlow = false;
  for (const key of path) {
    if (!isMap(node) && !isSeq(node)) return undefined;
    inFlow ||= node.flow === true;
    node = node.get(key, true);
  }
  return { node, inFlow };
}
