/**
 * A describe whose tests go on with what the test before has left, so they always run in this order. Prefer tests that need no other:
 * `why` says what speaks against it here.
 */
export function story(title: string, why: string, body: (this: Mocha.Suite) => void): Mocha.Suite {
  if (why === '') throw new Error(`Say why the tests of "${title}" need one another.`);
  return Object.assign(describe(title, body), { isStory: true });
}
