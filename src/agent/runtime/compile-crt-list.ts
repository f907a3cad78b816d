import type { Operation } from '../../protocol/operation.ts';
import type { RuntimeCommand } from './command.ts';
import { isCrtListPath, isCrtListWord } from './names.ts';

const severalEntries = /please specify a line number preceded by colons \(([\d, ]+)\)/;

/**
 * A change of one entry of a crt-list. Adding goes as a payload: the line form of `add ssl crt-list` drops options silently. A
 * new entry always becomes the list's last one, so of several entries of one certificate the least line is the oldest, and that is the one deleted when no
 * line is given. Text: why it cannot be said.
 */
export function compileCrtListChange(
  operation: Extract<Operation, { kind: 'crtlist_add' | 'crtlist_del' }>,
): RuntimeCommand | string {
  const { path, cert } = operation;
  if (!isCrtListPath(cert)) return 'cert is not the path of a file, or not a word of a crt-list';
  if (operation.kind === 'crtlist_del') {
    const { line } = operation;
    if (line !== undefined && line < 1) return 'line is not a line number';
    return {
      text: `del ssl crt-list ${path} ${cert}${line === undefined ? '' : `:${String(line)}`}`,
      success: [`Entry '${cert}' deleted in crtlist '${path}'!`],
      ...(line === undefined ? { oldestOf: severalEntries } : {}),
    };
  }
  const options = operation.options.flatMap((option) => option.split(' '));
  const words = [...options, ...operation.sni_filters];
  if (!words.every(isCrtListWord)) return 'an option or an SNI filter is not a word of a crt-list';
  const bracket = options.length === 0 ? [] : [`[${options.join(' ')}]`];
  return {
    text: `add ssl crt-list ${path}`,
    payload: [[cert, ...bracket, ...operation.sni_filters].join(' ')],
    success: 'finished',
  };
}
