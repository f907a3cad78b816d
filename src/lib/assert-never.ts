/** Compile-time exhaustiveness: reached only when a union gained a member that a `switch` does not know. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
