/** Titles of tests, READMEs of rooms and the subject of the last commit follow the writing rules. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { filesBelow, sourceFiles } from './sources.ts';
import { largeRooms, longSubject, longTitles, readmeProblems } from './texts.ts';

describe('The texts of the project', () => {
  it('have titles of tests with at most 90 characters', () => {
    const files = filesBelow('test', /\.ts$/);
    expect(files.length).to.be.greaterThan(500);
    expect(files.flatMap((file) => longTitles(file, readFileSync(file, 'utf8')))).to.deep.equal([]);
  });

  it('have a README in each large room, with names of files that exist', () => {
    const rooms = ['test', ...largeRooms(sourceFiles())];
    expect(rooms).to.include.members(['actors', 'actors/batch-job', 'components/models/onnx', 'page']);
    expect(rooms.flatMap(readmeProblems)).to.deep.equal([]);
  });

  it('have a last commit whose subject has at most 72 characters', function () {
    const { status, stdout } = spawnSync('git', ['log', '-1', '--no-merges', '--format=%s'], {
      encoding: 'utf8',
    });
    if (status !== 0) this.skip();
    expect(longSubject(stdout.trim())).to.equal(undefined);
  });

  it('are held to these rules by name, with file and line', () => {
    // Not written literally, because the check would find it in this file.
    const TEST = 'it';
    const title = (length: number) =>
      `describe('x', () => {\n  ${TEST}(\`${'a'.repeat(length)}\${n}\`, () => {});\n});`;
    expect(longTitles('a.test.ts', title(90))).to.deep.equal([]);
    expect(longTitles('a.test.ts', title(91))).to.deep.equal([
      'a.test.ts:2: a title of a test has at most 90 characters, this one has 91.',
    ]);
    expect(longSubject('a'.repeat(72))).to.equal(undefined);
    expect(longSubject('a'.repeat(73))).to.include('73');
    expect(largeRooms(Array.from({ length: 13 }, (_, n) => `a/b/${n}.ts`))).to.deep.equal(['a/b', 'a']);
    expect(largeRooms(Array.from({ length: 12 }, (_, n) => `a/b/${n}.ts`))).to.deep.equal([]);
    expect(readmeProblems('test/house')).to.deep.equal([
      'test/house/ has more than 12 files: write test/house/README.md.',
    ]);
  });
});
