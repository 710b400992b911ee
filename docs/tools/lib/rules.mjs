/** Rules for the text of a page. Each returns problems: line, rule and message. */
import { readFileSync } from 'node:fs';
import { visit } from 'unist-util-visit';
import { cellsOf, sentencesIn, sentencesOf, withoutCode } from './sentences.mjs';

const MOST_WORDS = 40;
const MANY_WORDS = 25;
const MOST_CELL_WORDS = 25;
const MOST_CHARACTERS = 100;

const TERMS = JSON.parse(readFileSync(new URL('../terms.json', import.meta.url), 'utf8')).map(
  ({ avoid, use }) => ({ pattern: new RegExp(String.raw`\b(?:${avoid})\b`, 'giu'), use }),
);

export const checkText = (page) => [
  ...description(page),
  ...sentences(page),
  ...cells(page),
  ...lineLengths(page),
];

function description({ file, front, tree }) {
  const problems = [];
  const title = tree.children.find(({ type }) => type !== 'yaml' && type !== 'html');
  if (title?.type !== 'heading' || title.depth !== 1)
    problems.push({ line: 1, rule: 'title', message: 'The page does not start with a title (# ...).' });
  if (file === 'README.md') return problems;
  if (typeof front.description !== 'string' || front.description.trim() === '')
    problems.push({
      line: 1,
      rule: 'description',
      message: 'The front matter has no description. Add one sentence.',
    });
  return problems;
}

/** The rules for a text of the code: a message or a comment. */
export const checkProse = (text, line) => checkSentences(sentencesIn(withoutCode(text), line));

const sentences = ({ tree }) => checkSentences(sentencesOf(tree));

function checkSentences(found) {
  return found.flatMap(({ text, line, words }) => [
    ...(words > MANY_WORDS
      ? [
          {
            line,
            rule: 'sentence-length',
            isWarning: words <= MOST_WORDS,
            message: `The sentence has ${words} words (at most ${MOST_WORDS}, better ${MANY_WORDS}): ${start(text)}`,
          },
        ]
      : []),
    ...terms(text, line),
  ]);
}

function terms(text, line) {
  return TERMS.flatMap(({ pattern, use }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      line: line + text.slice(0, index).split('\n').length - 1,
      rule: 'terms',
      message: `Do not write "${found}". Write ${use}.`,
    })),
  );
}

function cells({ tree }) {
  return cellsOf(tree).flatMap(({ text, line, words }) => [
    ...(words > MOST_CELL_WORDS
      ? [{ line, rule: 'cell-length', message: `The table cell has ${words} words (at most ${MOST_CELL_WORDS}): ${start(text)}` }] // oxfmt-ignore
      : []),
    ...terms(text, line),
  ]);
}

function lineLengths({ text, tree }) {
  const skipped = new Set();
  visit(tree, (node) => {
    if (['code', 'table', 'yaml', 'html'].includes(node.type))
      for (let line = node.position.start.line; line <= node.position.end.line; line++) skipped.add(line);
  });
  return text.split('\n').flatMap((line, i) => {
    if (line.length <= MOST_CHARACTERS || skipped.has(i + 1) || !canBreak(line)) return [];
    const message = `The line has ${line.length} characters (at most ${MOST_CHARACTERS}).`;
    return [{ line: i + 1, rule: 'line-length', message }];
  });
}

/** A heading, and a line that is one long address or code, cannot be broken. */
const canBreak = (line) => !line.startsWith('#') && /\S\s+\S/.test(line.replace(/^\s*(?:[-*>]|\d+\.)\s+/, '').slice(0, MOST_CHARACTERS)); // oxfmt-ignore

const start = (text) => `"${text.replaceAll(/\s+/g, ' ').replaceAll('\u{E000}', '`...`').slice(0, 60)}..."`;
