/** Modules that a command loads at its start. Loading delays every call of the tool. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { importsOf } from '../support/imports.ts';

/** All files that this one imports, directly or not, and the packages that they import. */
function loadedWith(start: string): {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
} {
  const files = new Set([start]);
  const packages = new Set<string>();
  for (const file of files)
    for (const { target, ours, typeOnly, lazy } of importsOf(file, readFileSync(file, 'utf8')))
      if (!typeOnly && !lazy) (ours ? files : packages).add(target);
  return { files, packages };
}

describe('A command of the tool', () => {
  const { files, packages } = loadedWith('cli/main.ts');

  it('needs no package to start but the one that reads its arguments', () => {
    expect([...packages].filter((name) => !name.startsWith('node:'))).to.deep.equal(['commander']);
  });

  it('does not load the server, nor what checks its settings', () => {
    expect(
      [...files].filter((file) => /^(main\.ts|actors|store|config\/(schema|settings))/.test(file)),
    ).to.deep.equal([]);
  });

  it('asks by what Node has loaded anyway, not by fetch', () => {
    const fetching = [...files].filter((file) => /\bfetch\(/.test(readFileSync(file, 'utf8')));
    expect(fetching).to.deep.equal([]);
  });
});
