/**
 * A describe whose tests need the state of the test before, so they always run in this order. Prefer independent tests.
 * @param why the reason against independent tests
 */
export function story(title: string, why: string, body: (this: Mocha.Suite) => void): Mocha.Suite {
  if (why === '') throw new Error(`Say why the tests of "${title}" need one another.`);
  return Object.assign(describe(title, body), { isStory: true });
}
