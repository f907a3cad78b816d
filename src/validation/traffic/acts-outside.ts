import { isOutside } from '../../gate/guard/is-outside.ts';
import { readConfigLine } from '../../gate/guard/read-config-line.ts';

/** Of the process: which file it leaves, who it is, and what it runs. */
const ofProcess: ReadonlySet<string> = new Set(
  'chroot command daemon external-check gid group insecure-fork-wanted master-worker pidfile uid user'.split(
    ' ',
  ),
);

/**
 * Whether a line would have a HAProxy that runs act on the machine beside its own folder: run programs, leave files, listen on a
 * socket for its own commands there. A test's HAProxy does without: nothing of that is seen by who sends a request.
 */
export function actsOutside(line: string, section: string): boolean {
  const [keyword = '', second = '', third = ''] = readConfigLine(line).words;
  if (section === 'global' || section === 'program') {
    if (keyword === 'stats' && second === 'socket')
      return isOutside(third.replace(/^(?:unix|uxst|uxdg)@/, ''));
    return ofProcess.has(keyword);
  }
  if (keyword === 'external-check') return true;
  return keyword === 'option' && second === 'external-check';
}
