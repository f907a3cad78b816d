import { isRecord } from '../lib/is-record.ts';
import type { SourceRange } from './handlebars-engine.ts';
import { anyNumber, type HelperTable } from './helper-spec.ts';
import { textOf } from './helpers/arguments.ts';
import { within } from './helpers/effects.ts';
import { capture, endingItsLine, hasMarkers } from './run.ts';
import { stableJson } from '../lib/stable-json.ts';

export interface StructureDeps {
  readonly runSnippet: (name: string, args: Readonly<Record<string, unknown>>) => string;
  /** Snippets that a pattern means, in order of name. */
  readonly matching: (pattern: string) => readonly string[];
  /** What a forEach calls its item. */
  readonly itemNameOf: (template: string, loc: SourceRange) => string;
}

/** What a slot goes through that has one fragment: no collection that templates can name. */
export const ownFragment = 'fragment of the template';

/** How templates are put together: helpers that need the templates around them. */
export function structureHelpers({ runSnippet, matching, itemNameOf }: StructureDeps): HelperTable {
  return {
    forEach: {
      signature: '{{#forEach hosts as |host key|}}…{{/forEach}}',
      summary:
        'One fragment for each entry of a collection, in the order of the keys. It is printed again when its entry, or what it looked up, changes. Collections are `resources.<name>`, what the libraries derive (`hosts`, `routes`, `backends`, `certificates`), `collected.<name>` and `controller.haproxyPods`.',
      example: {
        whole: '{{#forEach resources.widgets as |w|}}\n    # {{w.metadata.name}}\n{{/forEach}}',
      },
      output: 'block',
      args: [1, 1],
      only: 'whole',
      call: ([collection], scope) => {
        const { run, options } = scope;
        if (options.fn === undefined) return '';
        const template = run.templates.at(-1) ?? '';
        run.slots.push({
          collection: nameOfCollection(collection),
          body: options.fn,
          itemName: itemNameOf(template, options.loc),
          template,
          document: run.document,
          place: scope.place(),
        });
        return capture(run, { kind: 'slot', slot: run.slots.length - 1 });
      },
    },
    fragment: {
      signature: '{{#fragment}}…{{/fragment}}',
      summary:
        'One fragment of the template itself, for text that reads what may change where there is no collection to go through: `http`, or one certain object.',
      example: {
        whole:
          '{{#fragment}}\n{{#with (fetch "services" "web" "shop") as |s|}}\n    # {{s.spec.clusterIP}}\n{{/with}}\n{{/fragment}}',
      },
      output: 'block',
      args: [0, 0],
      only: 'whole',
      call: (_none, scope) => {
        const { run, options } = scope;
        if (options.fn === undefined) return '';
        const template = run.templates.at(-1) ?? '';
        run.slots.push({
          collection: ownFragment,
          body: options.fn,
          itemName: '',
          template,
          document: run.document,
          place: scope.place(),
        });
        return capture(run, { kind: 'slot', slot: run.slots.length - 1 });
      },
    },
    snippets: {
      signature: 'snippets "frontend-filters-*" name=x …',
      summary:
        'The snippets of an extension point, `point-NNN-topic`, in the order of their names. They see the named arguments and the constants. What one prints ends its line, with or without a line break at its end, but in files, which are left as they are. None is no error.',
      example: {
        whole: '{{snippets "frontend-filters-*" port=80}}',
        snippets: {
          'frontend-filters-100-log': '    option httplog\n',
          'frontend-filters-200-port': '    http-request set-header x-port {{port}}\n',
        },
      },
      output: 'text',
      args: [1, 1],
      hash: 'any',
      call: ([pattern], scope) =>
        matching(String(pattern))
          .map((name) => endingItsLine(scope.run, runSnippet(name, scope.options.hash)))
          .join(''),
    },
    render: {
      signature: 'render "snippet" name=x …',
      summary:
        'What a snippet prints, as a value, without white space at its ends: a function of your own. The snippet may print text only.',
      example: {
        whole: 'backend {{render "backend-name" namespace="web" service="shop"}}',
        snippets: { 'backend-name': '{{namespace}}_{{service}}' },
      },
      output: 'value',
      args: [1, 1],
      hash: 'any',
      call: ([name], scope) => {
        const { run } = scope;
        const outer = run.inValue;
        run.inValue = true;
        const text = runSnippet(textOf(name), scope.options.hash);
        run.inValue = outer;
        if (hasMarkers(text))
          throw new RangeError('a snippet with sections, backends or fragments has no value');
        return text.trim();
      },
    },
    once: {
      signature: '{{#once key …}}…{{/once}}',
      summary:
        'Text that is printed once for a key, or for keys together: by the first fragment in print order that has it. When that goes, the next one prints it.',
      example: {
        whole:
          '{{#forEach resources.widgets as |w|}}{{#once w.metadata.namespace}}\nuserlist {{w.metadata.namespace}}\n{{/once}}{{/forEach}}',
      },
      output: 'block',
      args: [1, anyNumber],
      call: (keys, scope) => {
        const { options, run } = scope;
        const body = () => options.fn?.(scope.context, { data: options.data }) ?? '';
        const text = within('once', scope, body);
        if (hasMarkers(text)) throw new RangeError('a once block has text only');
        return capture(run, {
          kind: 'once',
          key: keys.length === 1 ? textOf(keys[0]) : stableJson(keys.map(textOf)),
          text,
          place: scope.place(),
        });
      },
    },
  };
}

function nameOfCollection(value: unknown): string {
  return isRecord(value) && typeof value['collection'] === 'string' ? value['collection'] : '';
}
