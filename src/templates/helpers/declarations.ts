import { isRecord } from '../../lib/is-record.ts';
import {
  statusPhases,
  type JsonObject,
  type ObjectReference,
  type StatusPhase,
} from '../../protocol/declared.ts';
import { excerpt } from '../context/bare-word.ts';
import { commentText } from '../context/comment-text.ts';
import type { HelperTable } from '../helper-spec.ts';
import { keep } from '../run.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { textOf } from './arguments.ts';
import { isGiven } from './server-line.ts';

/** Longest message of an Event (Kubernetes' own limit), and longest value that debug shows. */
const maxMessage = 1024;
const maxShown = 4096;

/** What fragments say besides configuration: to other fragments, to Kubernetes, to whoever looks for a mistake. */
export const declarationHelpers: HelperTable = {
  collect: {
    signature: 'collect "name" key value',
    summary:
      'Puts a value into a collection of your own, for `{{#forEach collected.name as |c|}}` and `(fetch "collected.name" key)`: `c.key`, `c.value` (the first one), `c.values` (of all fragments that gave this key, in print order).',
    example: {
      whole:
        '{{#forEach resources.widgets as |w|}}{{collect "colors" w.spec.color w.metadata.name}}{{/forEach}}{{#forEach collected.colors as |c|}}\n{{comment (concat c.key ": " (join c.values ", "))}}\n{{/forEach}}',
    },
    output: 'text',
    args: [3, 3],
    only: 'fragment',
    call: ([name, key, value], scope) => {
      const { run } = scope;
      const text = textOf(key);
      if (text === '' || text.includes('\u0000')) throw new RangeError('a key is a text that is not empty');
      keep(run, text);
      if (typeof value === 'string') keep(run, value);
      run.collected.push({ collection: textOf(name), key: text, value: value ?? null });
      return '';
    },
  },
  statusPatch: {
    signature: 'statusPatch object rendered=x deployed=y validateFailed=z',
    summary:
      'What the status of an object should say: `rendered` as long as it is in the newest render, `deployed` when every HAProxy runs it, `deployFailed` while pods fail to take it, `validateFailed` while HAProxy refuses what it printed, `renderFailed` while its template fails (what it said before it failed). Where several hold, the later of this order counts, field by field.',
    example: '{{statusPatch w rendered=(object phase="Accepted") validateFailed=(object phase="Refused")}}',
    output: 'text',
    args: [1, 1],
    hash: statusPhases,
    only: 'fragment',
    call: ([target], scope) => {
      const variants: Partial<Record<StatusPhase, JsonObject>> = {};
      for (const phase of statusPhases) {
        const status = scope.options.hash[phase];
        if (!isGiven(status)) continue;
        if (!isRecord(status)) throw new RangeError(`${phase} is no object: a status is one`);
        variants[phase] = JSON.parse(stableJson(status)) as JsonObject;
      }
      if (Object.keys(variants).length === 0)
        throw new RangeError(`a status is given for one of ${statusPhases.join(', ')}`);
      scope.run.statusPatches.push({ target: referenceOf(target), variants, place: scope.place() });
      return '';
    },
  },
  recordEvent: {
    signature: 'recordEvent object "Reason" "message" type="Warning"',
    summary:
      'An Event about an object: sent once when a fragment begins to say it, and not again as long as it goes on saying the same. `type` is `Normal` (default) or `Warning`.',
    example:
      '{{recordEvent w "ColorDeprecated" (concat "the color " w.spec.color " is deprecated") type="Warning"}}',
    output: 'text',
    args: [3, 3],
    hash: ['type'],
    only: 'fragment',
    call: ([about, reason, message], scope) => {
      const { type = 'Normal' } = scope.options.hash;
      if (type !== 'Normal' && type !== 'Warning')
        throw new RangeError('the type of an event is Normal or Warning');
      const name = textOf(reason);
      if (!/^[A-Z][A-Za-z0-9]{0,127}$/.test(name))
        throw new RangeError(`the reason ${excerpt(name)} is not in CamelCase`);
      const text = textOf(message);
      if (text === '' || Buffer.byteLength(text) > maxMessage)
        throw new RangeError(`the message of an event has 1 to ${maxMessage} bytes`);
      scope.run.events.push({
        about: referenceOf(about),
        type,
        reason: name,
        message: text,
        place: scope.place(),
      });
      return '';
    },
  },
  debug: {
    signature: 'debug x "label"',
    summary:
      'A value as JSON in comment lines, `# DEBUG label: …`, to look at while you write a template. It is printed wherever the configuration goes: take it out again, and never show a Secret.',
    example: '{{debug w.spec.ports "ports"}}',
    output: 'text',
    args: [1, 2],
    call: ([from, label]) => {
      const json = from === undefined ? 'nothing' : stableJson(from);
      const shown = json.length > maxShown ? `${json.slice(0, maxShown)}…` : json;
      return `${commentText(`DEBUG ${isGiven(label) ? `${textOf(label)}: ` : ''}${shown}`)}\n`;
    },
  },
};

/** A Kubernetes object, or `(object apiVersion= kind= namespace= name=)`. */
function referenceOf(target: unknown): ObjectReference {
  if (isRecord(target)) {
    const metadata = isRecord(target['metadata']) ? target['metadata'] : target;
    const { apiVersion, kind } = target;
    const { name, namespace } = metadata;
    if (isText(apiVersion) && isText(kind) && isText(name))
      return { apiVersion, kind, namespace: isText(namespace) ? namespace : '', name };
  }
  throw new RangeError('this is no Kubernetes object: apiVersion, kind and a name are needed');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
