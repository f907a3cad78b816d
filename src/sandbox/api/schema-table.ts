import { anything, type Schema } from './schema.ts';

/** Fields of `metav1` time and number types, and free JSON. */
const scalars: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  microtime: { type: 'string', format: 'micro-time' },
  quantity: {
    definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    'x-kubernetes-int-or-string': true,
    format: 'quantity',
  },
  intOrString: {
    definition: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    'x-kubernetes-int-or-string': true,
    format: 'int-or-string',
  },
  any: anything,
};

const line = /^ {2}([\d.]+) (\w+)(!?) (\S+)((?: \w+=\S+| atomic)*)(?: # (.*))?$/;
const head = /^(\w+\.\w+)( atomic)?(?: # (.*))?$/;

/**
 * Reads tables of message types in this notation, one block a message:
 *
 *     net.IngressRule # Paths of one host.
 *       1 host string # Host that a request must name.
 *       2.1 http net.HTTPIngressRuleValue
 *
 * A field is its protobuf number (with dots through messages that JSON inlines), its name (`!`: required), its type and
 * its traits. Types: the scalars above or a message; `[]` an atomic list, `[set]` a set, `[a,b]` a list keyed by
 * these fields, `{}` a map, `?` a scalar whose zero differs from its absence. Traits: `atomic`, `patch=` and `key=` (strategic merge), `default=`. `prefixes` gives the
 * name space of each group (`net` → `io.k8s.api.networking.v1`). A malformed line throws: the tables are part of the program.
 */
export function parseSchemaTable(
  tables: readonly string[],
  prefixes: Readonly<Record<string, string>>,
): (message: string) => Schema {
  const blocks = new Map<string, string[]>();
  let block: string[] = [];
  for (const text of tables.flatMap((table) => table.split('\n'))) {
    if (text === '') continue;
    if (!text.startsWith(' ')) blocks.set(headOf(text)[1] ?? '', (block = [text]));
    else block.push(text);
  }
  const built = new Map<string, Schema>();
  const schemaOf = (message: string): Schema => {
    const ready = built.get(message);
    if (ready !== undefined) return ready;
    const lines = blocks.get(message);
    if (lines === undefined) throw new Error(`schema tables know no message ${message}`);
    const schema = buildMessage(message, lines, prefixes, schemaOf);
    built.set(message, schema);
    return schema;
  };
  return schemaOf;
}

function buildMessage(
  message: string,
  lines: readonly string[],
  prefixes: Readonly<Record<string, string>>,
  schemaOf: (message: string) => Schema,
): Schema {
  const [, , atomic, description] = headOf(lines[0] ?? '');
  const [group = '', name = ''] = message.split('.');
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const text of lines.slice(1)) {
    const parts = line.exec(text);
    if (parts === null) throw new Error(`schema table: ${message}: ${text}`);
    const [, number = '', field = '', mandatory, type = '', traits = '', note] = parts;
    properties[field] = {
      ...typeOf(type, schemaOf),
      ...traitsOf(traits),
      ...(note === undefined ? {} : { description: note }),
      proto: number.split('.').map(Number),
    };
    if (mandatory === '!') required.push(field);
  }
  return {
    definition: `${prefixes[group] ?? group}.${name}`,
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(atomic === undefined ? {} : { 'x-kubernetes-map-type': 'atomic' }),
  };
}

function typeOf(text: string, schemaOf: (message: string) => Schema): Schema {
  const list = /^(.+?)\[([\w,]*)\]$/.exec(text);
  if (list !== null) {
    const [, inner = '', how = ''] = list;
    const items = typeOf(inner, schemaOf);
    if (how === '') return { type: 'array', items, 'x-kubernetes-list-type': 'atomic' };
    if (how === 'set') return { type: 'array', items, 'x-kubernetes-list-type': 'set' };
    return {
      type: 'array',
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': how.split(','),
    };
  }
  if (text.endsWith('{}'))
    return { type: 'object', additionalProperties: typeOf(text.slice(0, -2), schemaOf) };
  if (text.endsWith('?')) return { ...typeOf(text.slice(0, -1), schemaOf), zero: true };
  const scalar = scalars[text];
  if (scalar !== undefined) return scalar.definition === undefined ? scalar : { ...scalar, origin: scalar };
  const message = schemaOf(text);
  return { ...message, origin: message };
}

function traitsOf(text: string): Partial<Schema> {
  const traits: Record<string, unknown> = {};
  for (const trait of text.split(' ').filter((part) => part !== '')) {
    const [name, value = ''] = trait.split('=');
    if (name === 'atomic') traits['x-kubernetes-map-type'] = 'atomic';
    else if (name === 'patch') traits['x-kubernetes-patch-strategy'] = value;
    else if (name === 'key') traits['x-kubernetes-patch-merge-key'] = value;
    else if (name === 'default')
      traits['default'] = /^(\d+|true|false)$/.test(value) ? JSON.parse(value) : value;
    else throw new Error(`schema table: unknown trait ${trait}`);
  }
  return traits;
}

function headOf(text: string): RegExpExecArray {
  const parts = head.exec(text);
  if (parts === null) throw new Error(`schema table: ${text}`);
  return parts;
}
