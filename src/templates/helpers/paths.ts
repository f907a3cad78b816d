import { posix } from 'node:path';
import type { FileKind } from '../../protocol/plan.ts';
import { pemText } from '../context/pem-text.ts';
import { relativePath } from '../context/relative-path.ts';
import type { HelperTable } from '../helper-spec.ts';
import { keep, type TemplateFolders } from '../run.ts';
import { textOf } from './arguments.ts';
import { isGiven } from './server-line.ts';

const folderOf: Readonly<Record<string, keyof TemplateFolders>> = {
  map: 'maps',
  file: 'general',
  cert: 'certificates',
  'ca-file': 'certificates',
  crl: 'certificates',
  'crt-list': 'certificates',
};

/** What a file of each kind is checked to be. */
const kinds: Readonly<Record<string, { kind: FileKind; textOf: (content: string) => string }>> = {
  file: { kind: 'general', textOf: plainContent },
  cert: { kind: 'cert', textOf: (content) => pemText('cert', [content]) },
  'ca-file': { kind: 'ca', textOf: (content) => pemText('ca', [content]) },
  crl: { kind: 'crl', textOf: (content) => pemText('crl', [content]) },
};

const instead: Readonly<Record<string, string>> = {
  map: 'mapEntry',
  'crt-list': 'crtListEntry',
};

/** Where files lie, as HAProxy knows them: below the directory of its configuration file, which is its `default-path`. */
export const pathHelpers: HelperTable = {
  path: {
    signature: 'path "map" "host.map"',
    summary:
      'The path of a file as HAProxy knows it: a `map`, `file`, `cert`, `ca-file`, `crl` or `crt-list`. Without a name, their folder.',
    example: '{{path "map" "host.map"}} {{path "cert" "shop.pem"}} {{path "file"}}',
    output: 'value',
    args: [1, 2],
    call: ([type, name], { run }) => {
      const folder = run.folders[folderKey(type)];
      return isGiven(name) ? relativePath(posix.join(folder, relativePath(name))) : folder;
    },
  },
  baseDir: {
    signature: 'baseDir',
    summary: 'The directory of HAProxy’s configuration file, below which all other files lie.',
    example: { whole: '    default-path origin {{baseDir}}' },
    output: 'value',
    args: [0, 0],
    call: (_args, { run }) => run.folders.base,
  },
  registerFile: {
    signature: 'registerFile "file" "page.html" content reloadOnChange=true',
    summary:
      'A file of the bundle, of kind `file`, `cert`, `ca-file` or `crl`; gives its path. The same content twice is one file, another content under the same name is a conflict.',
    example: 'errorfile 503 {{registerFile "file" "503.http" extraContext.notes}}',
    output: 'value',
    args: [3, 3],
    hash: ['reloadOnChange'],
    call: ([type, name, content], scope) => {
      const wanted = textOf(type);
      const other = Object.hasOwn(instead, wanted) ? instead[wanted] : undefined;
      if (other !== undefined) throw new RangeError(`entries of a ${wanted} are declared by ${other}`);
      const known = Object.hasOwn(kinds, wanted) ? kinds[wanted] : undefined;
      if (known === undefined)
        throw new RangeError(`the kind of a file is one of ${Object.keys(kinds).join(', ')}`);
      const { run } = scope;
      const path = relativePath(posix.join(run.folders[folderKey(wanted)], relativePath(name)));
      const { reloadOnChange = true } = scope.options.hash;
      const text = known.textOf(textOf(content));
      keep(run, text);
      run.files.push({
        path,
        kind: known.kind,
        reloadOnChange: known.kind === 'general' && reloadOnChange !== false,
        text,
        place: scope.place(),
      });
      return path;
    },
  },
};

function folderKey(type: unknown): keyof TemplateFolders {
  const name = textOf(type);
  const key = Object.hasOwn(folderOf, name) ? folderOf[name] : undefined;
  if (key === undefined)
    throw new RangeError(`${JSON.stringify(name)} is none of ${Object.keys(folderOf).join(', ')}`);
  return key;
}

function plainContent(content: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(content))
    throw new RangeError('the content has control characters');
  return content;
}
