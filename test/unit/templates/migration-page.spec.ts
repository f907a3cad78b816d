import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runExample } from '../../../scripts/reference/run-example.ts';
import { referenceGroups } from '../../../scripts/reference/template-reference.ts';

const page = readFileSync(
  path.resolve(import.meta.dirname, '../../../docs/migrating-from-scriggo.md'),
  'utf8',
);

/** Every name of HAPTIC's own templates, see its documentation of context variables and functions. */
const names =
  `resources controller.haproxy_pods templateSnippets pathResolver fileRegistry dataplane capabilities shared
  runtimeEnvironment currentConfig currentFiles http.Fetch extraContext renderMode admissionSubject planRegistry
  sort_by selectattr glob_match merge keys sort_strings toSlice append shard_slice namespace first_seen join_key dig fallback
  coalesce isNil strip trim indent strings_contains strings_split strings_splitn strings_trim strings_lower strings_replace replace
  join split trimSpace toLower toUpper title basename isdigit regex_search sanitize_regex toStringSlice tostring toint tofloat ceil
  seq b64decode fail debug abs max min pow abbreviate capitalize capitalizeAll hasPrefix hasSuffix index indexAny lastIndex
  replaceAll reverse runeCount splitAfter splitAfterN splitN sprint sprintf toKebab trimLeft trimRight trimPrefix trimSuffix
  queryEscape htmlEscape base64 hex md5 sha1 sha256 hmacSHA1 hmacSHA256 marshalJSON marshalJSONIndent unmarshalJSON marshalYAML
  unmarshalYAML regexp date now parseDuration parseTime unixTime formatInt formatFloat parseInt parseFloat group_by count_by index_by
  unique_by map_extract has_cached get_cached set_cached map filter reject flat_map cidr_partition make_guid semver_gte parse_yaml
  untar_gz public_key_info statusPatch recordEvent render render_glob inherit_context global-settings-* defaults-settings-* features-* global-top-*
  frontend-extra-* frontend-matchers-advanced-* frontend-filters-* frontends-* backends-* backend-directives-* map-host-*
  map-path-exact-* map-pfxexact-* map-path-prefix-* map-path-regex-* map-weighted-backend-* status-patches-* status-extra-*`.split(
    /\s+/,
  );

const rows = [...page.matchAll(/^\| (.*?) \| (.*) \|$/gm)].filter(([, left]) => left?.includes('`') === true);
const blocks = [...page.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(([, language, name, text = '']) => ({
  language,
  name,
  text,
}));

describe('docs/migrating-from-scriggo.md', () => {
  it.each(names)('says what became of %s', (name) => {
    const word = new RegExp(`\`[^\`]*(?<![\\w.])${name.replace(/[.*]/g, '\\$&')}(?!\\w)[^\`]*\``);
    expect(rows.some(([, left = '']) => word.test(left))).toBe(true);
  });

  it('names helpers that exist', () => {
    const known = new Set([
      ...referenceGroups.flatMap(({ helpers }) => Object.keys(helpers)),
      ...['extraContext', 'dataplane', 'capabilities', 'controller', 'templateSnippets', 'x', 'object', 'f'],
    ]);
    const called = rows.flatMap(([, , right = '']) =>
      [...right.matchAll(/`(?:\{\{#?|\()?([a-z][A-Za-z0-9]*)[^`]*`/g)]
        .filter(([whole]) => !whole.endsWith('-*`'))
        .map(([, name = '']) => name),
    );
    const others = new Set([
      'dynamicServers',
      'dynamicBackends',
      'guid',
      'version',
      'supports_crt_list',
      'point',
      'date',
      'else',
    ]);
    expect(called.length).toBeGreaterThan(80);
    expect(
      called.filter((name) => !known.has(name) && !others.has(name) && !name.startsWith('supports')),
    ).toStrictEqual([]);
  });

  it('names extension points that the libraries have', () => {
    const libraries = ['base', 'ingress'].map((name) =>
      readFileSync(
        path.resolve(import.meta.dirname, `../../../charts/haptic/libraries/${name}.yaml`),
        'utf8',
      ),
    );
    const points = new Set(libraries.flatMap((text) => text.match(/(?<=snippets ")[a-z-]+-\*/g) ?? []));
    const section = page.split('## Extension points')[1]?.split('\n## ')[0] ?? '';
    const rowsOf = [...section.matchAll(/^\| (.*?) \| (.*) \|$/gm)].filter(
      ([, left]) => left?.startsWith('`') === true,
    );
    const named = rowsOf.flatMap(([, left = '', right = '']) =>
      [
        ...(right.startsWith('the same') && !left.includes('util') ? left : right).matchAll(
          /`([a-z-]+-\*)`/g,
        ),
      ].map(([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !points.has(name))).toStrictEqual([]);
  });

  const examples = blocks.flatMap((block, at) => {
    if (block.language !== 'handlebars') return [];
    const before = blocks[at - 1];
    const snippets = before?.language === 'snippet' ? { [before.name ?? '']: before.text } : {};
    const was = blocks[before?.language === 'snippet' ? at - 2 : at - 1];
    return [{ template: block.text, snippets, was, output: blocks[at + 1] }];
  });

  it('has examples, each with what it was', () => {
    expect(examples.length).toBeGreaterThanOrEqual(5);
    for (const { was } of examples) expect(was?.language).toBe('scriggo');
  });

  it.each(examples)('prints as it says: $template', ({ template, snippets, output }) => {
    const { files, problems } = runExample({ template, snippets });
    expect(problems).toStrictEqual([]);
    expect(output?.language).toBe('haproxy');
    expect(files['haproxy.cfg']?.trim()).toBe(output?.text.trim());
  });
});
