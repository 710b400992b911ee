/** At the end of a `switch` over a union: does not compile when one of its members was forgotten. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected: ${JSON.stringify(value)}`);
}
