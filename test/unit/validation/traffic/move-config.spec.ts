import { describe, expect, it } from 'vitest';
import { trafficConfig } from '../../../../src/validation/traffic/move-config.ts';

const at = (port: number) => ({ host: '127.9.9.9', port });

function moved(config: string): readonly string[] {
  const { binds, servers, move } = trafficConfig(config);
  return move(
    binds.map((_, index) => at(1000 + index)),
    servers.map((_, index) => at(2000 + index)),
  ).split('\n');
}

const lineOf = (section: string, line: string) => moved(`${section}\n  ${line}`).at(-1);

describe('bind lines', () => {
  it.each([
    ['bind *:80', '  bind 127.9.9.9:1000 accept-proxy'],
    ['bind :80', '  bind 127.9.9.9:1000 accept-proxy'],
    ['bind 10.0.0.1:80 maxconn 5', '  bind 127.9.9.9:1000 maxconn 5 accept-proxy'],
    ['bind [::]:80 v4v6', '  bind 127.9.9.9:1000 v4v6 accept-proxy'],
    ['bind :::80', '  bind 127.9.9.9:1000 accept-proxy'],
    ['bind "*:80"', '  bind 127.9.9.9:1000 accept-proxy'],
    ['bind ipv6@:80', '  bind ipv4@127.9.9.9:1000 accept-proxy'],
    ['bind :80,:81 name x', '  bind 127.9.9.9:1000,127.9.9.9:1001 name x accept-proxy'],
    ['bind :80 accept-proxy', '  bind 127.9.9.9:1000 accept-proxy'],
    [
      'bind :443 ssl crt-list ssl/l.txt alpn h2',
      '  bind 127.9.9.9:1000 ssl crt-list ssl/l.txt alpn h2 accept-proxy',
    ],
    ['bind :80 interface eth0 transparent', '  bind 127.9.9.9:1000 accept-proxy'],
    ['bind quic4@:443 ssl crt x', '  bind quic4@127.9.9.9:1000 ssl crt x'],
    ['bind /run/h.sock mode 600', '  bind /run/h.sock mode 600'],
    ['bind unix@h.sock', '  bind unix@h.sock'],
    ['bind abns@h', '  bind abns@h'],
    ['bind-process 1', '  bind-process 1'],
  ])('%s', (line, expected) => {
    expect(lineOf('frontend web', line)).toBe(expected);
  });

  it('are told with their ports', () => {
    const { binds } = trafficConfig('frontend a\n bind 10.0.0.1:80,:8080\nlisten b\n bind quic4@:443\n');
    expect(binds).toEqual([
      {
        section: 'frontend',
        proxy: 'a',
        host: '10.0.0.1',
        port: 80,
        protocol: 'tcp',
        takesProxyHeader: true,
      },
      { section: 'frontend', proxy: 'a', host: '', port: 8080, protocol: 'tcp', takesProxyHeader: true },
      { section: 'listen', proxy: 'b', host: '', port: 443, protocol: 'quic', takesProxyHeader: false },
    ]);
  });

  it('of peers move, and take no PROXY header', () => {
    expect(lineOf('peers p', 'bind :10000')).toBe('  bind 127.9.9.9:1000');
  });
});

describe('server lines', () => {
  it.each([
    ['server a 10.0.0.1:80', '  server a 127.9.9.9:2000'],
    ['server a fd00::1:80 weight 3', '  server a 127.9.9.9:2000 weight 3'],
    ['server a db.example.com:80 resolvers r', '  server a 127.9.9.9:2000 resolvers r'],
    ['server a 10.0.0.1:80 check inter 2s agent-check', '  server a 127.9.9.9:2000 inter 2s'],
    ['server a 10.0.0.1:80 track b/c disabled', '  server a 127.9.9.9:2000 disabled'],
    ['server a 10.0.0.1:80 source 10.0.0.9 usesrc clientip', '  server a 127.9.9.9:2000'],
    [
      'server a 10.0.0.1:443 ssl verify required ca-file ssl/ca.pem',
      '  server a 127.9.9.9:2000 ssl verify none ca-file ssl/ca.pem',
    ],
    ['server-template a 3 x.example.com:80 check', '  server-template a 3 127.9.9.9:2000'],
    ['default-server check inter 2s verify required', '  default-server inter 2s verify none'],
    ['source 10.0.0.9', '#   source 10.0.0.9'],
    ['http-check send hdr host server', '  http-check send hdr host server'],
  ])('%s', (line, expected) => {
    expect(lineOf('backend b', line)).toBe(expected);
  });

  it('are told with their backends', () => {
    const { servers } = trafficConfig(
      'backend a\n server s1 x:1\n server s2 x:2\nlisten b\n server "s 3" x:3\n',
    );
    expect(servers).toEqual([
      { backend: 'a', server: 's1' },
      { backend: 'a', server: 's2' },
      { backend: 'b', server: 's 3' },
    ]);
  });

  it('of peers, rings and resolvers stay', () => {
    expect(lineOf('peers p', 'server a 10.0.0.1:80 check')).toBe('  server a 10.0.0.1:80 check');
    expect(lineOf('ring r', 'server a 10.0.0.1:514')).toBe('  server a 10.0.0.1:514');
  });
});

describe('the rest of the configuration', () => {
  it('stays as it is', () => {
    const config = 'global\n  maxconn 10\n\n# a comment\nuserlist u\n  user a password b\n';
    expect(moved(config).join('\n')).toBe(config);
  });

  it('names the chosen backend on answers, in every frontend', () => {
    const lines = moved('frontend a\n  mode http\nbackend b\nlisten c\n');
    expect(lines).toEqual([
      'frontend a',
      '  http-after-response set-header x-haptic-test-backend %[be_name]',
      '  mode http',
      'backend b',
      'listen c',
      '  http-after-response set-header x-haptic-test-backend %[be_name]',
      '',
    ]);
  });

  it('knows which line a moved one comes from', () => {
    const config = 'global\nfrontend a\n  mode http\nbackend b\nlisten c\n  mode http\n';
    const { originalLine, move } = trafficConfig(config);
    const original = config.split('\n');
    for (const [index, line] of move([], []).split('\n').entries())
      if (!line.includes('http-after-response')) expect(original[originalLine(index + 1) - 1]).toBe(line);
  });
});

describe('lines of the process', () => {
  it.each([
    ['global', 'pidfile /run/h.pid'],
    ['global', 'chroot /var/lib/haproxy'],
    ['global', 'user haproxy'],
    ['global', 'daemon'],
    ['global', 'external-check'],
    ['global', 'stats socket /run/h.sock mode 600'],
    ['global', '"stats" socket unix@/run/h.sock'],
    ['program p', 'command /bin/sh'],
    ['backend b', 'external-check command /bin/sh'],
    ['backend b', 'option external-check'],
  ])('that would act on the machine go: %s, %s', (section, line) => {
    expect(lineOf(section, line)).toBe(`#   ${line}`);
  });

  it.each([
    ['global', 'stats socket unix@h.sock mode 600'],
    ['userlist u', 'user joe password x'],
    ['backend b', 'option httpchk'],
  ])('that would not stay: %s, %s', (section, line) => {
    expect(lineOf(section, line)).toBe(`  ${line}`);
  });
});
