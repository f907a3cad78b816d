import type { HelperTable } from '../helper-spec.ts';
import { valueHelper as value } from '../value-helper.ts';
import { textOf } from './arguments.ts';

/** Regular expressions over texts, by RE2's rules: in linear time, so without look-around and back-references. */
export const regexHelpers: HelperTable = {
  regexMatch: value(
    'regexMatch text "expression"',
    'True if the expression matches anywhere in the text; `^` and `$` anchor it.',
    [2, 2],
    ([from, pattern], { run }) => run.regexOf(textOf(pattern)).matches(textOf(from)),
    '{{regexMatch w.metadata.name "^g[aeiou]"}}',
  ),
  regexFind: value(
    'regexFind text "expression" group',
    'The first match, or one of its groups by number; the empty text if there is none.',
    [2, 3],
    ([from, pattern, group = 0], { run }) =>
      run.regexOf(textOf(pattern)).find(textOf(from))?.[Number(group)] ?? '',
    '{{regexFind "max-age=600; secure" "max-age=([0-9]+)" 1}}',
  ),
  regexFindAll: value(
    'regexFindAll text "expression"',
    'All matches as a list.',
    [2, 2],
    ([from, pattern], { run }) => run.regexOf(textOf(pattern)).findAll(textOf(from)),
    '{{join (regexFindAll "a1b22c" "[0-9]+") ","}}',
  ),
  regexReplace: value(
    'regexReplace text "expression" "replacement"',
    'With every match replaced. `$1` and `${name}` are groups, `$$` is a dollar.',
    [3, 3],
    ([from, pattern, to], { run }) => run.regexOf(textOf(pattern)).replaceAll(textOf(from), textOf(to)),
    '{{regexReplace "shop.example.com" "^([a-z]+)[.]" "$1-"}}',
  ),
  regexEscape: value(
    'regexEscape text',
    'The text as a regular expression that matches exactly it; print it with `regex`.',
    [1, 1],
    ([from]) => textOf(from).replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'),
    '{{regex (concat "^" (regexEscape "/a.b") "$")}}',
  ),
};
