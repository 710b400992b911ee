/** The names of functions and files that `npm run house` checks. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { namedFunctions, objectionToFile, objectionToFunction } from './names.ts';
import { filesBelow, sourceFiles } from './sources.ts';

const namesIn = (code: string) => namedFunctions('a.ts', code).map(({ line, name }) => `${line} ${name}`);

describe('Names', () => {
  it('are found of functions on the top level and of methods', () => {
    expect(
      namesIn('export function one() { const inner = () => 0; return inner; }\nconst two = () => 1;'),
    ).to.deep.equal(['1 one', '2 two']);
    expect(
      namesIn('class A { #one() {} static two() {}\nthree = () => 3; four = 4; get five() { return 5; } }'),
    ).to.deep.equal(['1 one', '1 two', '2 three']);
    expect(namesIn('export const a = { one() {}, two: 2 };')).to.deep.equal(['1 one']);
  });

  it('of functions are refused when they are participles alone', () => {
    const objectionTo = (name: string) => objectionToFunction({ file: 'store/a.ts', line: 7, name });
    for (const name of ['taken', 'settled', 'owed', 'arriving'])
      expect(objectionTo(name))
        .to.include(`store/a.ts:7: the function ${name} `)
        .and.include('a verb and its object');
    for (const name of ['acceptAnswer', 'takenBy', 'feed', 'read', 'string', 'map', 'onChange'])
      expect(objectionTo(name), name).to.equal(undefined);
  });

  it('of files are refused when they are participles or words of our own', () => {
    expect(objectionToFile('actors/node-manager/deployed.ts')).to.include('a participle alone');
    expect(objectionToFile('store/kept-leases.ts'))
      .to.include('"kept" is a word of our own')
      .and.include('lease-store.ts');
    for (const file of ['store/lease-store.ts', 'test/store/cluster-locks.test.ts', 'page/viewer/stills.tsx'])
      expect(objectionToFile(file), file).to.equal(undefined);
  });

  it('of the product and of the tests are verbs, and files are named by the words of the field', () => {
    const files = [...sourceFiles(), ...filesBelow('test')];
    const functions = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
      .flatMap((file) => namedFunctions(file, readFileSync(`dist/${file.replace(/\.ts$/, '.js')}`, 'utf8')));
    expect(functions.map(objectionToFunction).filter((one) => one !== undefined)).to.deep.equal([]);
    expect(files.map(objectionToFile).filter((one) => one !== undefined)).to.deep.equal([]);
  });
});
