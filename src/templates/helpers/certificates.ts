import { posix } from 'node:path';
import { crtListOption, sniFilter } from '../context/crt-list-word.ts';
import { pemText, type PemKind } from '../context/pem-text.ts';
import { relativePath } from '../context/relative-path.ts';
import { anyNumber, type HelperScope, type HelperTable } from '../helper-spec.ts';
import { keep } from '../run.ts';
import { isGiven, keywordsOf } from './server-line.ts';

const pemKinds: readonly PemKind[] = ['cert', 'ca', 'crl'];

/** Certificates and the lists of them, as effects. Names are those of files in `dataplane.sslCertsDir`. */
export const certificateHelpers: HelperTable = {
  certificate: {
    signature: 'certificate "shop.pem" chain key … kind="cert"',
    summary: 'PEM texts as one file for certificates; `kind` may be `ca` or `crl` too.',
    example: '{{certificate "shop.pem" extraContext.certificate extraContext.key}}',
    output: 'text',
    args: [2, anyNumber],
    hash: ['kind'],
    call: ([name, ...texts], scope) => {
      const { kind = 'cert' } = scope.options.hash;
      const known = pemKinds.find((candidate) => candidate === kind);
      if (known === undefined)
        throw new RangeError(`the kind of a certificate is one of ${pemKinds.join(', ')}`);
      const text = pemText(known, texts);
      const place = scope.place();
      keep(scope.run, text);
      scope.run.files.push({ path: pathOf(name, scope), kind: known, reloadOnChange: false, text, place });
      return '';
    },
  },
  crtListEntry: {
    signature: 'crtListEntry "list.txt" "shop.pem" host … alpn="h2"',
    summary: 'A line of a crt-list, with SNI filters and options. The first line is the default certificate.',
    example: '{{crtListEntry "list.txt" "shop.pem" "shop.example.com" alpn="h2,http/1.1"}}',
    output: 'text',
    args: [2, anyNumber],
    hash: 'any',
    call: ([list, certificate, ...filters], scope) => {
      scope.run.listed.push({
        path: pathOf(list, scope),
        certificate: pathOf(certificate, scope),
        options: keywordsOf(scope.options.hash).flatMap(({ name, args }) =>
          [name, ...args].map(crtListOption),
        ),
        sniFilters: [...new Set(filters.flat().filter(isGiven).map(sniFilter))],
        place: scope.place(),
      });
      return '';
    },
  },
  certificatePath: {
    signature: 'certificatePath "list.txt"',
    summary: 'The path of a certificate or crt-list, as HAProxy knows it.',
    example: { whole: '    bind :443 ssl crt-list {{certificatePath "list.txt"}}' },
    output: 'text',
    args: [1, 1],
    call: ([name], scope) => pathOf(name, scope),
  },
};

function pathOf(name: unknown, { run }: HelperScope): string {
  return relativePath(posix.join(run.folders.certificates, relativePath(name)));
}
