import { CodedError } from '../../lib/coded-error.ts';
import type { FileKind } from '../../protocol/plan.ts';
import { excerpt } from '../context/bare-word.ts';
import { mapKey } from '../context/map-key.ts';
import { mapValue } from '../context/map-value.ts';
import { plainText } from '../context/plain-text.ts';
import { relativePath } from '../context/relative-path.ts';
import { sectionName } from '../context/section-name.ts';
import type { HelperScope, HelperTable } from '../helper-spec.ts';
import { capture, keep } from '../run.ts';
import { directivesOf } from './block-text.ts';
import { textOf } from './arguments.ts';
import { isGiven } from './server-line.ts';

const fileKinds: readonly FileKind[] = ['general', 'cert', 'ca', 'crl', 'crtlist'];

/** What a template declares besides text. Effects belong to the fragment: they come, change and go with it. */
export const effectHelpers: HelperTable = {
  section: {
    signature: '{{#section "frontend http"}}…{{/section}}',
    summary:
      'Text as a section of its own, named in reasons and errors. Of two with one name the first is printed.',
    example: { whole: '{{#section "frontend http"}}\nfrontend http\n    bind :80\n{{/section}}' },
    output: 'block',
    args: [1, 1],
    call: ([name], scope) => {
      const text = within('section', scope, () => bodyOf(scope));
      return capture(scope.run, { kind: 'section', name: plainText(name), text, place: scope.place() });
    },
  },
  profile: {
    signature: '{{#profile "name" from="other"}}…{{/profile}}',
    summary: 'A named `defaults` section, shared by backends.',
    example: { whole: '{{#profile "plain"}}\ntimeout server 30s\n{{/profile}}' },
    output: 'block',
    args: [1, 1],
    hash: ['from'],
    call: ([given], scope) => {
      const name = sectionName(given);
      const { from } = scope.options.hash;
      const body = directivesOf(within('profile', scope, () => bodyOf(scope)));
      const text = `\ndefaults ${name}${isGiven(from) ? ` from ${sectionName(from)}` : ''}\n${body}`;
      const hasRules =
        /^ +(http-(request|response|after-response|check)|tcp-(request|response|check)|use-service)\b/m.test(
          body,
        );
      return capture(scope.run, { kind: 'profile', profile: { name, text, hasRules }, place: scope.place() });
    },
  },
  mapEntry: {
    signature: 'mapEntry "maps/host.map" (mapKey key) (mapValue value)',
    summary: 'An entry of a map whose keys are unique.',
    example: '{{mapEntry "maps/color.map" (mapKey w.metadata.name) (mapValue w.spec.color)}}',
    output: 'text',
    args: [3, 3],
    call: ([path, key, value], scope) => {
      const entry = { path: relativePath(path), key: mapKey(key), value: mapValue(value) };
      keep(scope.run, entry.key);
      keep(scope.run, entry.value);
      scope.run.entries.push({ ...entry, place: scope.place() });
      return '';
    },
  },
  file: {
    signature: '{{#file "general/robots.txt" kind="general" reloadOnChange=true}}…{{/file}}',
    summary: 'A file of the bundle.',
    example: { whole: '{{#file "general/robots.txt" reloadOnChange=false}}\nUser-agent: *\n{{/file}}' },
    output: 'block',
    args: [1, 1],
    hash: ['kind', 'reloadOnChange'],
    call: ([path], scope) => {
      const { kind = 'general', reloadOnChange = true } = scope.options.hash;
      const known = fileKinds.find((candidate) => candidate === kind);
      if (known === undefined) throw new RangeError(`the kind of a file is one of ${fileKinds.join(', ')}`);
      const text = within('file', scope, () => bodyOf(scope));
      keep(scope.run, text);
      scope.run.files.push({
        path: relativePath(path),
        kind: known,
        reloadOnChange: reloadOnChange !== false,
        text,
        place: scope.place(),
      });
      return '';
    },
  },
  warn: {
    signature: 'warn "message" field="spec.color" reason="CamelCase"',
    summary: 'Reports a problem of the item, which stays in effect.',
    example: '{{warn "color is deprecated" field="spec.color" reason="ColorDeprecated"}}',
    output: 'text',
    args: [1, 1],
    hash: ['field', 'reason'],
    only: 'fragment',
    call: ([message], scope) => {
      scope.run.reads?.warn({ message: textOf(message), ...blame(scope, 'TemplateWarning') });
      return '';
    },
  },
  fail: {
    signature: 'fail "message" field="spec.color" reason="CamelCase"',
    summary:
      'Refuses the item: its last accepted output stays, all others go on. In the text around fragments it refuses the configuration.',
    example: '{{fail "red is not allowed" field="spec.color" reason="ColorRefused"}}',
    output: 'text',
    args: [1, 1],
    hash: ['field', 'reason'],
    call: ([message], scope) => {
      throw new CodedError('HAPTIC_ERR_TEMPLATE_FAIL', textOf(message), {
        cause: blame(scope, 'TemplateFailed'),
      });
    },
  },
};

function blame(scope: HelperScope, fallback: string): { field: string; reason: string } {
  const { field, reason } = scope.options.hash;
  const name = isGiven(reason) ? textOf(reason) : fallback;
  if (!/^[A-Z][A-Za-z]{0,63}$/.test(name))
    throw new RangeError(`the reason ${excerpt(name)} is not in CamelCase`);
  return { field: isGiven(field) ? textOf(field) : '', reason: name };
}

function bodyOf(scope: HelperScope): string {
  return scope.options.fn?.(scope.context, { data: scope.options.data }) ?? '';
}

/** Runs the body of an effect block; blocks that become sections or files cannot be nested. */
export function within(block: string, scope: HelperScope, body: () => string): string {
  const { run } = scope;
  if (run.inside !== undefined)
    throw new RangeError(`a ${block} block cannot stand in a ${run.inside} block`);
  run.inside = block;
  try {
    return body();
  } finally {
    run.inside = undefined;
  }
}
