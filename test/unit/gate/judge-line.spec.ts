import { describe, expect, it } from 'vitest';
import { judgeLine } from '../../../src/gate/guard/judge-line.ts';
import { readConfigLine } from '../../../src/gate/guard/read-config-line.ts';

const riskOf = (line: string) => judgeLine(line).risk;

describe('a line of a configuration', () => {
  it.each([
    ['  lua-load /etc/evil.lua'],
    ['lua-load-per-thread general/x.lua'],
    ['lua-lo"ad" general/x.lua'],
    ["'lua-load' general/x.lua"],
    ['\\x6cua-load general/x.lua'],
    ['lua-load\\x00zz general/x.lua'],
    ['no lua-load general/x.lua'],
    ['default lua-load general/x.lua'],
    ['lua-load "general/x.lua'],
    ['  http-request lua.auth if { path / }'],
    ['  http-request set-header x %[lua.fetch()]'],
    ['  http-request use-service lua.hello'],
    ['  filter opentracing id x config general/ot.cfg'],
    ['  filter lua.x'],
  ])('that loads a script is told: %j', (line) => {
    expect(riskOf(line)).toBe('load');
  });

  it.each([
    ['ssl-engine rdrand'],
    ['  ssl-provider legacy'],
    ['ssl-passphrase-cmd /bin/cat x'],
    ['module-load x.so'],
  ])('that runs a program or loads a library is told: %s', (line) => {
    expect(riskOf(line)).toBe('run');
  });

  it.each([
    ['  backing-file /etc/passwd'],
    ['  backing-file x'],
    ['shm-stats-file /etc/x'],
    ['  account-key /x'],
  ])('that writes a file is told: %s', (line) => {
    expect(riskOf(line)).toBe('write');
  });

  it.each([
    ['presetenv X lua-load'],
    ['  external-check command /bin/sh'],
    ['  option external-check'],
    ['  command /bin/sh'],
  ])('that prepares for programs is told: %s', (line) => {
    expect(riskOf(line)).toBe('code');
  });

  it.each([
    ['  errorfile 503 /etc/passwd'],
    ['  errorfile 503 "/etc"/passwd'],
    ['  errorfile 503 /etc/passwd\\x00.http'],
    ['  errorfile 503 \\x2fetc/passwd'],
    ['  errorfile 503 general/../../x'],
    ['  errorfile 503 "${X-/etc/passwd}"'],
    ['  errorfile 503 "$HOME/x"'],
    ['  stats "${X-socket}" x.sock ssl crt /etc/x'],
    ['  stats "${.SECTION}" x.sock "${Y}" "$Z"'],
    ['  http-request deny if { src "${X--f}" /etc/hosts }'],
    ['  bind :443 ssl crt /etc/ssl/private/'],
    ['  bind :443 ssl crt ../../key.pem'],
    ['  bind :443 ssl crt "${HOME}/key.pem"'],
    ['  bind :443 ssl crt a.pem default-crt /etc/key.pem'],
    ['  bind :443 namespace ../../etc/x'],
    ['  bind :443 ssl crt a.pem tls-ticket-keys /etc/x'],
    ['  stats socket x.sock ssl crt /etc/x'],
    ['  ssl-f-use crt /etc/x'],
    ['  server s 10.0.0.1:80 ssl verify required ca-file @/etc/ca.pem ca-file /etc/ca.pem'],
    ['  default-server ssl crt /etc/x'],
    ['  server-template s 1-3 example.com:80 ssl ca-file /etc/x'],
    ['  peer p ca-file /etc/x'],
    ['  http-request return status 200 file /etc/shadow'],
    ['  http-request return errorfile /etc/shadow'],
    ['  http-request return status 200 content-type a lf-file /etc/shadow'],
    ['  http-request return status 200 content-type a lf-file general/format'],
    ['  http-request return hdr a hdr file /etc/shadow'],
    ['  http-response return status 200 hdr a b file /etc/shadow'],
    ['  http-request deny deny_status 503 errorfile /etc/shadow'],
    ['  http-request tarpit status 500 file /etc/shadow if { path / }'],
    ['  http-error status 503 errorfile /etc/x'],
    ['  http-request deny if { src -f /etc/hosts }'],
    ['  http-request deny if { src -i -f opt@/etc/hosts }'],
    ['  acl x path -M -f virt@/etc/hosts'],
    ['  use_backend %[path,map_beg(/etc/maps/x.map)]'],
    ['  use_backend %[path,map("/etc/maps/x.map")]'],
    ["  use_backend %[path,map('/etc/maps/x.map')]"],
    [`  http-request set-var(txn.x) 'path,map("/etc/x")'`],
    [`  http-request set-var(txn.x) "path,map('/etc/x')"`],
    [`  http-request set-var(txn.x) 'path,map(""/etc/x)'`],
    ['  http-request set-var(txn.x) path,map_str(opt@/etc/x,y)'],
    ['  http-request redirect prefix if set-cookie { location %[path,map(/etc/passwd)] }'],
    ['  http-request set-map(/etc/x) a b'],
    ['  stick on path,map(/etc/x)'],
    ['  set-var proc.x str(a),map(/etc/x)'],
    ['default-path origin-of /etc'],
    ['default-path parent'],
    ['default-path "origin" /etc'],
    ['"default-path" origin /etc'],
    ['  http-request set-var(txn.j) http_auth_bearer,jwt_verify(alg,"/etc/key.pem")'],
    ['  server-state-file /var/x'],
    ['  stats-file /var/x'],
    ['  load crt /etc/x alias a'],
    ['  crt-base /etc'],
    ['  h1-case-adjust-file /etc/x'],
    ['  filter spoe engine e config general/spoe.cfg'],
    ['  http-request send-spoe-group e g'],
  ])('that reads a file outside is told: %s', (line) => {
    expect(riskOf(line)).toBe('file');
  });

  it.each([
    ['  no-such-word /etc/x', 'no-such-word'],
    ['  server s 10.0.0.1:80 frobnicate /tmp', 'server s 10.0.0.1:80 frobnicate'],
    ['  bind :80 exec sh', 'bind :80 exec'],
    ['  http-request frobnicate lua', 'http-request frobnicate'],
    ['  tcp-request content frobnicate x', 'tcp-request content frobnicate'],
    ['  http-request return frob /etc/x', 'http-request return frob'],
    ['  filter frob config x', 'filter frob'],
    ['  option frob x', 'option frob'],
    ['  http-check frob x', 'http-check frob'],
    ['wurfl-data-file /x', 'wurfl-data-file'],
    ['.include /etc/x', '.include'],
  ])('that nobody knows is cut after the word that is not known: %s', (line, beginning) => {
    expect(judgeLine(line)).toEqual({ risk: 'unknown', beginning });
  });

  it.each([
    ['  errorfile 503 "general/x'],
    ['  errorfile 503 \\xZZ'],
    ['  errorfile 503 "${X[*]}"'],
    ['  errorfile 503 x\r/etc/passwd'],
    ['  errorfile 503 x\0y'],
    ['"$X" general/x.lua'],
    ['  http-request set-var(txn.x) path,other(/etc/x)'],
  ])('that may be anything is not shown at all: %j', (line) => {
    expect(judgeLine(line)).toEqual({ risk: 'unknown' });
  });

  it.each([
    [''],
    ['  # lua-load /etc/evil.lua'],
    ['  errorfile 503 general/503.http'],
    ['  errorfile 503 /dev/null'],
    ['  bind :443 ssl crt-list ssl/list.txt alpn h2,http/1.1'],
    ['  bind "${ADDRESS}:80"'],
    ['  bind /var/run/x.sock mode 600'],
    ['  http-check send meth GET uri /health'],
    ['  option httpchk GET /health'],
    ['  monitor-uri /alive'],
    ['  http-request deny if { path_beg /admin }'],
    [
      '  http-request deny deny_status 403 content-type text/plain string "/etc/x" if { path_reg ^/api(/.*)?$ }',
    ],
    ['  http-request return status 200 hdr location /x if { path /a /b }'],
    ['  http-request redirect location /login code 302 unless { path /login }'],
    ['  http-request set-path /x%[path,regsub(^/a(/|$),/)]'],
    ['  http-request set-var(txn.x) str(/) unless { path_beg / }'],
    ['  use_backend %[path,map_beg(maps/x.map,/default)]'],
    ['  stats socket unix@haproxy-worker.sock mode 600 level admin expose-fd listeners'],
    ['  stats socket /run/x.sock mode 600'],
    ['  log /dev/log local0'],
    ['  user joe password $6$salt$hash'],
    ['  timeout client "${TIMEOUT-5s}"'],
    ['  default-path config'],
    ['  default-path origin /etc/haproxy'],
    ['backend evaluate-x from haptic-http'],
    ['backend lua.x'],
    ['  http-request deny if { hdr(host) lua.example.com }'],
    ['  server s [2001:db8::1]:80 weight 1 check cookie /x'],
    ['  server s unix@/run/x.sock'],
    ['  server s 10.0.0.1:80 ssl verify required ca-file @system-ca sni str(/x)'],
    ['  http-request set-header x "\\$HOME" if { path /x }'],
    ['  http-request set-header x "$HOME" if { src 10.0.0.0 }'],
    ['  log-format "${A} ${B}"'],
    ['  .if defined(X)'],
    ['  .endif'],
    ['  option tcp-check'],
    ['  log-format "%ci [%tr] %[path,map(maps/x.map)] (%hr)"'],
  ])('that does nothing is left alone: %s', (line) => {
    expect(judgeLine(line)).toEqual({ risk: undefined });
  });
});

describe('words of a line', () => {
  it.each([
    ['a  b\tc\r', ['a', 'b', 'c']],
    ['a "b c" \'d "e\' f', ['a', 'b c', 'd "e', 'f']],
    ['a\\ b c\\#d #e', ['a b', 'c#d']],
    ['a "" b', ['a', '', 'b']],
    ['a#b', ['a']],
    ['\\x41\\n\\q', ['A\n\\q']],
    ['a "\\$b" \\$c \'\\d\'', ['a', '$b', '\\$c', '\\d']],
    ['a\u00a0b', ['a\u00a0b']],
    ['"${A-b}c" d ${E}', ['\uE000{A-b}c', 'd', '${E}']],
  ])('are read as HAProxy reads them: %j', (line, words) => {
    expect(readConfigLine(line)).toEqual({ words, isOdd: false });
  });

  it.each([['"a'], ["'a"], ['a\\'], ['\\x4'], ['a\rb'], ['a\0b'], ['"$"'], ['"${A"'], ['"${A[*]}"']])(
    'are odd where HAProxy refuses them or its versions differ: %j',
    (line) => {
      expect(readConfigLine(line).isOdd).toBe(true);
    },
  );
});
