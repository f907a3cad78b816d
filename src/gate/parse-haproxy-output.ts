/** One message as HAProxy printed it, with the places that it names. */
export interface HaproxyMessage {
  readonly severity: 'alert' | 'warning';
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  /** The proxy that the message is about, where it names no line. */
  readonly proxy?: string;
  /** Who says so, if not HAProxy. */
  readonly validator?: string;
}

const start = /^\[(ALERT|WARNING|NOTICE)\]\s+\(\d+\)\s*:\s*(.*)$/;
const summary = /^(config : )?(Error\(s\) found in configuration file|Fatal errors found in configuration)/;
const inFile = /\b(?:at line (\d+) of|error processing line (\d+) in) file '([^']+)'/;
const configLine = /\[([^\][:\s]+):(\d+)\]/;
const namedProxy =
  /\b(?:[Pp]roxy|backend|frontend|listen|server) '([^'/]+)(?:\/[^']*)?'|'server ([^'/]+)\/[^']*'/;

/**
 * Reads what `haproxy -c` prints, on every line from 2.6 on: `[ALERT]    (pid) : config : parsing [file:line] : text`, where
 * lines without such a beginning continue the message above. Notices and the closing summary are left out.
 */
export function parseHaproxyOutput(output: string): readonly HaproxyMessage[] {
  const messages: { severity: string; lines: string[] }[] = [];
  for (const line of output.split('\n')) {
    const [, severity, text = ''] = start.exec(line) ?? [];
    if (severity !== undefined) messages.push({ severity, lines: [text] });
    else if (isClosing(line)) messages.push({ severity: 'NOTICE', lines: [] });
    else messages.at(-1)?.lines.push(line);
  }
  return messages
    .filter(({ severity, lines }) => severity !== 'NOTICE' && !summary.test(lines[0] ?? ''))
    .map(({ severity, lines }) => {
      const message = lines
        .join('\n')
        .trimEnd()
        .replace(/^config : /, '');
      return { severity: severity === 'ALERT' ? 'alert' : 'warning', message, ...placeOf(message) };
    });
}

function isClosing(line: string): boolean {
  return line === 'Warnings were found.' || line === 'Configuration file is valid';
}

/** A line of a map or crt-list says more than the line of the configuration that loads it. */
function placeOf(message: string): Pick<HaproxyMessage, 'file' | 'line' | 'proxy'> {
  const loaded = inFile.exec(message);
  const loadedLine = loaded?.[1] ?? loaded?.[2];
  if (loaded?.[3] !== undefined && loadedLine !== undefined)
    return { file: loaded[3], line: Number(loadedLine) };
  const parsed = configLine.exec(message);
  if (parsed?.[1] !== undefined && parsed[2] !== undefined)
    return { file: parsed[1], line: Number(parsed[2]) };
  const named = namedProxy.exec(message);
  const proxy = named?.[1] ?? named?.[2];
  return proxy === undefined ? {} : { proxy };
}
