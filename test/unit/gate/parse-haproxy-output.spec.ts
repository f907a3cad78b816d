import { describe, expect, it } from 'vitest';
import { parseHaproxyOutput } from '../../../src/gate/parse-haproxy-output.ts';

describe('parseHaproxyOutput', () => {
  const cases: Readonly<Record<string, [string, object]>> = {
    'a parse error': [
      "[ALERT]    (23729) : config : parsing [haproxy.cfg:11] : unknown keyword 'serverr' in 'backend' section",
      {
        severity: 'alert',
        message: "parsing [haproxy.cfg:11] : unknown keyword 'serverr' in 'backend' section",
        file: 'haproxy.cfg',
        line: 11,
      },
    ],
    'a server error': [
      "[ALERT]    (7) : config : [haproxy.cfg:11] : 'server b/s' : invalid port '99999'",
      {
        severity: 'alert',
        message: "[haproxy.cfg:11] : 'server b/s' : invalid port '99999'",
        file: 'haproxy.cfg',
        line: 11,
      },
    ],
    'an error of the newer lines, without the word config': [
      "[ALERT]    (23790) : Proxy 'web': unable to find required use_backend: 'zz'.",
      { severity: 'alert', message: "Proxy 'web': unable to find required use_backend: 'zz'.", proxy: 'web' },
    ],
    'a line of a map rather than the line that loads it': [
      "[ALERT]    (1) : Parsing [haproxy.cfg:10]: failed to parse use_backend rule '%[path,map_reg(maps/re.map)]' : regex '^/(b' is invalid (error=missing closing parenthesis) at line 2 of file 'maps/re.map'.",
      { file: 'maps/re.map', line: 2 },
    ],
    'a warning about a proxy': [
      "[WARNING]  (1) : config : 'redirect' rules ignored for backend 'shop' as they require HTTP mode.",
      { severity: 'warning', proxy: 'shop' },
    ],
    'a name that a message gives to a server': [
      "[ALERT]    (1) : config : 'server shop/pod-1' : unable to x",
      { proxy: 'shop' },
    ],
    'no place at all': [
      "[ALERT]    (1) : config : 'ca-file' : unable to load nope.",
      { severity: 'alert', message: "'ca-file' : unable to load nope." },
    ],
  };
  it.each(Object.entries(cases))('reads %s', (_name, [line, message]) => {
    expect(parseHaproxyOutput(`${line}\n`)).toEqual([expect.objectContaining(message)]);
  });

  it('joins the lines that belong to one message', () => {
    const output = [
      '[NOTICE]   (1) : haproxy version is 3.4.7-1',
      '[ALERT]    (1) : config : parsing [haproxy.cfg:10]: unmatched quote at position 29:',
      '  http-request set-header x "abc',
      '                            ^',
      '[ALERT]    (1) : config : Error(s) found in configuration file : haproxy.cfg',
      '[ALERT]    (1) : config : Fatal errors found in configuration.',
      '',
    ].join('\n');
    expect(parseHaproxyOutput(output)).toEqual([
      {
        severity: 'alert',
        message:
          'parsing [haproxy.cfg:10]: unmatched quote at position 29:\n  http-request set-header x "abc\n                            ^',
        file: 'haproxy.cfg',
        line: 10,
      },
    ]);
  });

  it('has nothing to say about a good configuration', () => {
    expect(parseHaproxyOutput('Configuration file is valid\n')).toEqual([]);
    expect(parseHaproxyOutput('')).toEqual([]);
  });

  it('leaves closing lines out of the warning before them', () => {
    const output = '[WARNING]  (1) : config : odd\nWarnings were found.\nConfiguration file is valid\n';
    expect(parseHaproxyOutput(output)).toEqual([{ severity: 'warning', message: 'odd' }]);
  });

  it('reads the line of a crt-list that a message over several lines names', () => {
    const output = [
      "[ALERT]    (1) : config : parsing [haproxy.cfg:10] : 'bind 127.0.0.1:443' in section 'frontend' : ",
      "  'crt-list' : error processing line 3 in file 'lists/a.txt' : unable to load certificate from file 'ssl/a.pem': no start line.",
    ].join('\n');
    expect(parseHaproxyOutput(output)).toMatchObject([{ file: 'lists/a.txt', line: 3 }]);
  });
});
