/** Ends a `switch` over a union: it does not compile if a member is missing. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected: ${JSON.stringify(value)}`);
}
