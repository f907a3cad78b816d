import { Document, Scalar, visit } from 'yaml';

/**
 * A value as YAML that reads back as the same value, and nothing is an alias of what stands elsewhere. What the printer would get wrong is
 * not left to it: it folds lines, cuts quoted texts at their line ends, and puts texts of blanks alone into blocks.
 */
export function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && /\n/.test(node.value) && node.value.trim() === '')
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
}
