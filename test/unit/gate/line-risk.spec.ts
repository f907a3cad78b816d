import { describe, expect, it } from 'vitest';
import { lineRisk } from '../../../src/webhook/line-risk.ts';
import { readConfigLine } from '../../../src/webhook/read-config-line.ts';

describe('a line of a configuration', () => {
  it.each([
    ['  lua-load /etc/evil.lua'],
    ['lua-load-per-thread general/x.lua'],
    ['lua-lo"ad" general/x.lua'],
    ["'lua-load' general/x.lua"],
    ['lua\\-load general/x.lua'],
    ['\\x6cua-load general/x.lua'],
    ['"$X" general/x.lua'],
    ['  http-request lua.auth if { path / }'],
    ['  http-request set-header x %[lua.fetch()]'],
    ['  http-request use-service lua.hello'],
    ['  filter opentracing id x config general/ot.cfg'],
    ['presetenv X lua-load'],
    ['  external-check command /bin/sh'],
    ['  option external-check'],
    ['program p'],
    ['ssl-engine rdrand'],
    ['  ssl-provider legacy'],
  ])('that loads or runs code is told: %s', (line) => {
    expect(lineRisk(line)).toBe('code');
  });

  it.each([
    ['  errorfile 503 /etc/passwd'],
    ['  bind :443 ssl crt /etc/ssl/private/'],
    ['  bind :443 ssl crt ../../key.pem'],
    ['  bind :443 ssl crt "${HOME}/key.pem"'],
    ['  server s 10.0.0.1:80 ssl verify required ca-file @/etc/ca.pem ca-file /etc/ca.pem'],
    ['  http-request return status 200 file /etc/shadow'],
    ['  http-request deny if { src -f /etc/hosts }'],
    ['  use_backend %[path,map_beg(/etc/maps/x.map)]'],
    ['  http-request set-var(txn.x) path,map_str("/etc/x",y)'],
    ['default-path origin-of /etc'],
    ['  http-request set-var(txn.j) http_auth_bearer,jwt_verify(alg,"/etc/key.pem")'],
    ['  load-server-state-from-file global\\n'.replace('\\n', '') + ' server-state-file /var/x'],
  ])('that names a file outside is told: %s', (line) => {
    expect(lineRisk(line)).toBe('file');
  });

  it.each([
    ['  # lua-load /etc/evil.lua'],
    ['  errorfile 503 general/503.http'],
    ['  bind :443 ssl crt-list ssl/list.txt'],
    ['  bind "${ADDRESS}:80"'],
    ['  http-check send meth GET uri /health'],
    ['  http-request deny if { path_beg /admin }'],
    ['  use_backend %[path,map_beg(maps/x.map)]'],
    ['  stats socket unix@haproxy-worker.sock mode 600'],
    ['  default-path config'],
    ['  default-path origin /etc/haproxy'],
    ['backend evaluate-x from haptic-http'],
    ['  server s [2001:db8::1]:80 weight 1'],
  ])('that does neither is left alone: %s', (line) => {
    expect(lineRisk(line)).toBeUndefined();
  });
});

describe('words of a line', () => {
  it.each([
    ['a  b\tc', ['a', 'b', 'c']],
    ['a "b c" \'d "e\' f', ['a', 'b c', 'd "e', 'f']],
    ['a\\ b c\\#d #e', ['a b', 'c#d']],
    ['a "" b', ['a', '', 'b']],
    ['\\x41\\n "unfinished', ['A\n', 'unfinished']],
  ])('are read as HAProxy reads them: %j', (line, words) => {
    expect(readConfigLine(line)).toEqual(words);
  });
});
