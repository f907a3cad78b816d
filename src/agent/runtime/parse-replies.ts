/** One command's answer. */
export interface Reply {
  /** Syslog severity with `set severity-output number`; absent for dumps and silence. */
  readonly severity?: number;
  /** Without the severity mark and the final line feed; empty for silence. */
  readonly text: string;
}

const marked = /^\[(\d)\]: (.*)$/;

/**
 * Splits the answer to a `;` line into the answers of its commands. HAProxy ends each with a blank line, and a silent
 * command's is nothing but that. A few messages come without their own line feed (2.6: `No such backend.`, all lines:
 * refusals of `del server`), so that no blank line follows: a new severity mark also starts a new answer.
 */
export function parseReplies(answer: string): Reply[] {
  const lines = answer.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const replies: Reply[] = [];
  let at = 0;
  while (at < lines.length) {
    const first = lines[at++] ?? '';
    if (first === '') {
      replies.push({ text: '' });
      continue;
    }
    const mark = marked.exec(first);
    const text = [mark === null ? first : (mark[2] ?? '')];
    while (at < lines.length && lines[at] !== '' && !marked.test(lines[at] ?? ''))
      text.push(lines[at++] ?? '');
    if (lines[at] === '') at++;
    replies.push({ text: text.join('\n'), ...(mark !== null && { severity: Number(mark[1]) }) });
  }
  return replies;
}
