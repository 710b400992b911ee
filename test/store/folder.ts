import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Paths in a folder for the tests of one suite. It is deleted after them. */
export function temporaryFolder(): (name: string) => string {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'troupe-store-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => path.join(folder, name);
}

/** A wrapper around a store that replaces some of its methods. */
export function around<S extends object>(store: S, verbs: Partial<S>): S {
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(verbs, name);
      if (own !== undefined) return own;
      const verb: unknown = Reflect.get(target, name);
      return typeof verb === 'function' ? (verb.bind(target) as unknown) : verb;
    },
  });
}
