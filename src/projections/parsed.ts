/** Outcome of reading one field: its meaning, or what is wrong with it in words that continue the field's name. */
export type Parsed<T> = { readonly value: T } | { readonly fault: string };
