/**
 * `npm run docs:check`: checks sentences, lines, tables, terms, spelling, links, the index, generated pages, the number of words, the
 * search and the commands of guides.
 * `--fast` leaves out the commands; other arguments are parts of the paths of pages.
 */
import { spawnSync } from 'node:child_process';
import { checkCommands } from './lib/commands.mjs';
import { checkIndex, checkLinks } from './lib/links.mjs';
import { checkDiagrams } from './lib/mermaid.mjs';
import { findPages, isRecord, readPage } from './lib/pages.mjs';
import { checkProse, checkText } from './lib/rules.mjs';
import { checkQuestions } from './lib/search.mjs';
import { checkSpelling } from './lib/spelling.mjs';
import { checkWords } from './lib/words.mjs';

const given = process.argv.slice(2);
const parts = given.filter((each) => !each.startsWith('-'));
const pages = findPages().map(readPage);
const chosen = pages.filter(({ file }) => parts.length === 0 || parts.some((part) => file.includes(part)));
const isChosen = ({ file }) => chosen.some((page) => page.file === file);

const problems = [
  ...chosen.flatMap((page) => checkText(page).map((problem) => ({ file: page.file, ...problem }))),
  ...checkLinks(chosen),
  ...checkDiagrams(chosen),
  ...checkIndex(pages).filter(isChosen),
  ...(chosen.length === 0 ? [] : checkSpelling(chosen.map(({ file }) => file))),
  ...(parts.length === 0
    ? [...stalePages(), ...checkWords(pages), ...checkQuestions(pages.filter((page) => !isRecord(page)))]
    : []),
  ...textsOfCode()
    .filter(({ file }) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .flatMap(({ file, line, text }) => checkProse(text, line).map((problem) => ({ file, ...problem }))),
];
const warnings = problems.filter(({ isWarning }) => isWarning);
const errors = problems.filter(({ isWarning }) => !isWarning);
for (const problem of given.includes('--warnings') ? problems : errors) print(problem);
if (!given.includes('--fast')) errors.push(...(await checkCommands(chosen, print)));
console.log(
  `${chosen.length} pages, ${errors.length} errors, ${warnings.length} sentences with more than 25 words (--warnings lists them).`,
);
process.exitCode = errors.length === 0 ? 0 : 1;

function print({ file, line, rule, message, isWarning }) {
  console.log(`${file}:${line}: ${isWarning ? 'warning: ' : ''}${rule}: ${message}`);
}

/** What users read of the code: messages, and comments of files and of exported functions. */
function textsOfCode() {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['dist/test/docs/text/messages.js', '--json'],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`The messages cannot be listed: ${stderr}`);
  return JSON.parse(stdout);
}

function stalePages() {
  const generate = ['dist/test/docs/generate.js', '--check'];
  const { stdout, stderr, status } = spawnSync(process.execPath, generate, { encoding: 'utf8' });
  if (status !== 0 && stdout === '') throw new Error(`The generated pages cannot be checked: ${stderr}`);
  const message = 'The page differs from the code: run npm run docs:generate.';
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((file) => ({ file, line: 1, rule: 'stale', message }));
}
