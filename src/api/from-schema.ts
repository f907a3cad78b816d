/**
 * The type of what a schema takes, defaults applied. A field is there if it is required or has a default; within the
 * entries of a map, if it is required: such entries are also written by hand.
 */
export type FromSchema<Schema> = Typed<Schema, false>;

type Typed<Schema, Entry extends boolean> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly type: 'string' }
    ? string
    : Schema extends { readonly type: 'integer' | 'number' }
      ? number
      : Schema extends { readonly type: 'boolean' }
        ? boolean
        : Schema extends { readonly type: 'array'; readonly items: infer Items }
          ? readonly Typed<Items, Entry>[]
          : Schema extends { readonly type: 'object'; readonly properties: infer Properties }
            ? Fields<Properties, PresentKeys<Schema, Properties, Entry>, Entry>
            : Schema extends { readonly type: 'object'; readonly additionalProperties: infer Value }
              ? Readonly<Record<string, Typed<Value, true>>>
              : Readonly<Record<string, unknown>>;

type Fields<Properties, Present extends keyof Properties, Entry extends boolean> = {
  readonly [Key in Present]: Typed<Properties[Key], Entry>;
} & {
  readonly [Key in Exclude<keyof Properties, Present>]?: Typed<Properties[Key], Entry>;
} extends infer Flat
  ? { readonly [Key in keyof Flat]: Flat[Key] }
  : never;

type PresentKeys<Schema, Properties, Entry extends boolean> =
  RequiredKeys<Schema, Properties> | (Entry extends true ? never : DefaultedKeys<Properties>);

type RequiredKeys<Schema, Properties> = Schema extends { readonly required: readonly (infer Key)[] }
  ? Key & keyof Properties
  : never;

type DefaultedKeys<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
}[keyof Properties];
