/**
 * `npm run docs:figures`: figures of the documentation. Arguments: folders or files (default: README.md and docs/), and `--from REVISION` to read
 * them from Git, for a comparison.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { findPages, parsePage, readPage } from './lib/pages.mjs';
import { cellsOf, countWords, fleschOf, sentencesOf } from './lib/sentences.mjs';

const MANY_WORDS = 25;
const given = process.argv.slice(2);
const at = given.indexOf('--from');
const revision = at === -1 ? undefined : given.splice(at, 2)[1];
const places = given.length > 0 ? given : ['README.md', 'docs'];
const pages = (revision === undefined ? findPages(places).map(readPage) : pagesOf(revision))
  .filter(({ file }) => !/^docs\/(tools|records)\//.test(file))
  .map(measured);

const folders = grouped(pages);
console.log('| Folder | Pages | Words | Words per sentence | Over 25 words | Cells over 25 words | Flesch |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const [folder, some] of folders) console.log(row(folder, some));
console.log(row('**all**', pages));
console.log('\n| Page | Words | Words per sentence | Over 25 words | Flesch |');
console.log('| --- | ---: | ---: | ---: | ---: |');
for (const page of pages) {
  const { words, average, long, flesch } = summed([page]);
  console.log(`| ${page.file} | ${words} | ${average} | ${long} | ${flesch} |`);
}

function measured({ file, tree }) {
  const cells = cellsOf(tree).filter(({ words }) => words > MANY_WORDS).length;
  return {
    file,
    folder: path.posix.dirname(file),
    words: countWords(tree),
    sentences: sentencesOf(tree),
    cells,
  };
}

function row(name, some) {
  const { words, average, long, cells, flesch } = summed(some);
  return `| ${name} | ${some.length} | ${words} | ${average} | ${long} | ${cells} | ${flesch} |`;
}

function summed(some) {
  const sentences = some.flatMap((page) => page.sentences);
  const words = sentences.reduce((sum, sentence) => sum + sentence.words, 0);
  const long = sentences.filter((sentence) => sentence.words > MANY_WORDS).length;
  const share = (value) => (sentences.length === 0 ? '' : value);
  return {
    words: some.reduce((sum, page) => sum + page.words, 0),
    average: share((words / sentences.length).toFixed(1)),
    long: share(`${((100 * long) / sentences.length).toFixed(0)} %`),
    cells: some.reduce((sum, page) => sum + page.cells, 0),
    flesch: share(fleschOf(sentences).toFixed(0)),
  };
}

function pagesOf(name) {
  const git = (...words) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
  return git('ls-tree', '-r', '--name-only', name, '--', ...places)
    .split('\n')
    .filter((file) => file.endsWith('.md'))
    .map((file) => parsePage(file, git('show', `${name}:${file}`)));
}

function grouped(all) {
  const folders = new Map();
  for (const page of all) folders.set(page.folder, [...(folders.get(page.folder) ?? []), page]);
  return folders;
}
