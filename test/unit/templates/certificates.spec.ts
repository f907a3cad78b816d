import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crtListOption, sniFilter } from '../../../src/templates/context/crt-list-word.ts';
import { pemText } from '../../../src/templates/context/pem-text.ts';
import { briefly, createWorld } from '../render/renderer-world.ts';

const block = (label: string, ...lines: string[]) =>
  [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
const certificate = block('CERTIFICATE', 'QUJD', 'REVG');
const key = block('PRIVATE KEY', 'R0hJ');

describe('pemText', () => {
  it('joins blocks and leaves out what is around them, empty lines too', () => {
    const noisy = `Bag Attributes\r\n  friendlyName: x\r\n\r\n${certificate.replaceAll('\n', '\r\n')}\n\n`;
    expect(pemText('cert', [noisy, key])).toBe(certificate + key);
    expect(pemText('cert', [key + certificate])).toBe(key + certificate);
  });

  it.each(['RSA PRIVATE KEY', 'EC PRIVATE KEY', 'PRIVATE KEY'])('takes a %s', (label) => {
    expect(pemText('cert', [certificate, block(label, 'QQ==')])).toContain(label);
  });

  it('wants what HAProxy needs of a file of its kind', () => {
    expect(() => pemText('cert', [certificate])).toThrow('a private key that is not encrypted is missing');
    expect(() => pemText('cert', [key])).toThrow('a certificate is missing');
    expect(() => pemText('cert', [certificate, block('ENCRYPTED PRIVATE KEY', 'QQ==')])).toThrow(
      'a private key that is not encrypted is missing',
    );
    expect(() => pemText('ca', [key])).toThrow('a certificate is missing');
    expect(() => pemText('crl', [certificate])).toThrow('a revocation list is missing');
    expect(pemText('ca', [certificate, certificate])).toBe(certificate + certificate);
    expect(pemText('crl', [block('X509 CRL', 'QQ==')])).toContain('X509 CRL');
  });

  const broken: Readonly<Record<string, [unknown, string]>> = {
    'no text': [undefined, 'a PEM text is needed'],
    'a block without an end': [certificate.slice(0, 32), 'the last block of the PEM text has no end'],
    'an end without a block': [
      `${certificate}-----END X-----\n`,
      'line 5 of the PEM text ends a block that was not begun',
    ],
    'a block in a block': [
      certificate.replace('QUJD', '-----BEGIN X-----'),
      'line 2 of the PEM text comes before its block has ended',
    ],
    'another end than the begin': [
      certificate.replace('END CERTIFICATE', 'END PRIVATE KEY'),
      'line 4 of the PEM text comes before its block has ended',
    ],
    'a line that is not base64': [
      certificate.replace('QUJD', 'bind :1'),
      'line 2 of the PEM text is neither base64 nor the end of its block',
    ],
    'an encrypted key of the old form': [
      block('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED', 'QUJD'),
      'line 2 of the PEM text is neither base64 nor the end of its block',
    ],
  };
  it.each(Object.entries(broken))('refuses %s', (_name, [text, message]) => {
    expect(() => pemText('cert', [text])).toThrow(new RangeError(message));
  });

  it('gives nothing but blocks, whatever it is given, and never quotes it', () => {
    const line = fc.oneof(
      fc.constantFrom('-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', 'QUJD', '', ' ', key),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const text = lines.join('\n');
        try {
          for (const printed of pemText('cert', [certificate, key, text]).trimEnd().split('\n'))
            expect(printed).toMatch(/^(-----(BEGIN|END) [A-Z0-9 ]+-----|[A-Za-z0-9+/=]+)$/);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          expect((error as Error).message).toMatch(
            /^(line \d+ of the PEM text |the last block of the PEM text )[a-z0-9 ]+$/,
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('words of a crt-list', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['Shop.Example.COM', 'shop.example.com'],
    ['*.example.com', '*.example.com'],
    ['!x.example.com', '!x.example.com'],
    ['!*.example.com', '!*.example.com'],
    ['*', '*'],
    ['localhost', 'localhost'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['_a.b', '_a.b'],
  ])('takes the filter %s', (text, printed) => {
    expect(sniFilter(text)).toBe(printed);
  });

  it.each([
    '',
    'a b',
    'a]',
    '[x',
    '#a',
    'bücher.example',
    'a..b',
    '.a',
    'a.',
    '-a',
    '**.a',
    'a.*.b',
    'x\ny',
    '!',
    'a/b',
    'a'.repeat(64),
  ])('refuses the filter %j', (text) => {
    expect(() => sniFilter(text)).toThrow(RangeError);
  });

  it('takes as an option what needs no quotes', () => {
    for (const word of ['alpn', 'h2,http/1.1', 'TLSv1.3', 'ECDHE+AESGCM:!aNULL', '@SECLEVEL=2', 'ssl/ca.pem'])
      expect(crtListOption(word)).toBe(word);
    for (const word of ['', 'a b', 'a]', '[', '"x"', 'a#b', 'a\\', 'a;b', 'a\nb', 'é'])
      expect(() => crtListOption(word)).toThrow(RangeError);
  });

  it('make lines that are read back as they were meant, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        for (const print of [sniFilter, crtListOption]) {
          try {
            expect(print(text)).toMatch(/^[^\s[\]#]+$/);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('certificate helpers', () => {
  const run = (root: string, extraContext: Readonly<Record<string, unknown>> = {}) =>
    createWorld({ root: `global\n${root}\n`, extraContext: { certificate, key, ...extraContext } });

  it('write a file of any of the three kinds', () => {
    const world = run(
      '{{certificate "a.pem" extraContext.certificate extraContext.key}}{{certificate "sub/ca.pem" extraContext.certificate kind="ca"}}{{certificate "x.crl" extraContext.crl kind="crl"}}',
      { crl: block('X509 CRL', 'QQ==') },
    );
    expect(world.text('ssl/a.pem')).toBe(certificate + key);
    expect(world.text('ssl/sub/ca.pem')).toBe(certificate);
    expect(world.text('ssl/x.crl')).toContain('X509 CRL');
    expect(world.text()).toBe('global\n\n');
  });

  it('list a certificate with filters from lists and words, each once, and with options', () => {
    const entry =
      '{{crtListEntry "l.txt" "a.pem" extraContext.names "b.example" ssl-min-ver="TLSv1.2" no-ca-names=true alpn=none}}';
    const world = run(entry.replace(' alpn=none', ''), { names: ['a.example', 'b.example'] });
    expect(world.text('ssl/l.txt')).toBe('ssl/a.pem [ssl-min-ver TLSv1.2 no-ca-names] a.example b.example\n');
  });

  const refused: Readonly<Record<string, [string, string]>> = {
    'a path out of the folder': [
      '{{certificate "../x.pem" extraContext.certificate extraContext.key}}',
      'is not a relative path',
    ],
    'an unknown kind': [
      '{{certificate "x.pem" extraContext.certificate kind="dh"}}',
      'the kind of a certificate is one of cert, ca, crl',
    ],
    'a text that is no PEM': [
      '{{certificate "x.pem" "nothing"}}',
      'a certificate is missing in the PEM text',
    ],
    'a filter that is no host name': ['{{crtListEntry "l.txt" "x.pem" "a b"}}', 'is not a host name'],
    'an option with a blank': [
      '{{crtListEntry "l.txt" "x.pem" alpn="h2 ]"}}',
      'cannot stand among the options',
    ],
    'a list out of the folder': ['{{crtListEntry "../l.txt" "x.pem"}}', 'is not a relative path'],
  };
  it.each(Object.entries(refused))('refuse %s', (_name, [root, message]) => {
    expect(() => run(root)).toThrow(message);
  });

  it('refuse the item and no other, without a word of its key', () => {
    const world = createWorld({
      root: 'global\n{{#forEach hosts as |h|}}{{certificate (concat h.name ".pem") h.pem}}{{/forEach}}\n',
      collections: ['hosts'],
    });
    const owner = (name: string) => ({ kind: 'Ingress', namespace: 'ns', name });
    world.collections['hosts']?.set('a', { name: 'a', pem: certificate + key, owner: owner('a') });
    world.collections['hosts']?.set('b', { name: 'b', pem: 'TOPSECRET', owner: owner('b') });
    expect(briefly(world.render().problems)).toEqual([
      'TemplateFailed b name: {{certificate (concat h.name ".pem") h.pem}}: a certificate is missing in the PEM text (haproxyConfig:2:26)',
    ]);
    expect(world.text('ssl/a.pem')).toBe(certificate + key);
  });
});
