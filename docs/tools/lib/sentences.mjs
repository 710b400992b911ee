/** Sentences, words and readability of a page. Code counts as one word and is never searched for terms. */
import { toString } from 'mdast-util-to-string';
import { SKIP, visit } from 'unist-util-visit';

/** Stands for code in a sentence. */
const CODE = '\u{E000}';
const ABBREVIATION = /\b(e\.g|i\.e|etc|vs|no|approx)\.$/i;

/** @returns {{ text: string, line: number, words: number }[]} Sentences outside tables, code and headings. */
export function sentencesOf(tree) {
  const found = [];
  visit(tree, (node) => {
    if (node.type === 'table' || node.type === 'code' || node.type === 'heading') return SKIP;
    if (node.type !== 'paragraph') return undefined;
    found.push(...sentencesIn(proseOf(node), node.position.start.line));
    return SKIP;
  });
  return found;
}

/** @returns {{ text: string, line: number, words: number }[]} Sentences of a plain text that starts on this line. */
export function sentencesIn(prose, start) {
  const found = [];
  let line = start;
  for (const part of split(prose)) {
    const text = part.trim();
    const words = wordsOf(text);
    const lead = part.length - part.trimStart().length;
    if (words.length > 0)
      found.push({ text, line: line + newlines(part.slice(0, lead)), words: words.length });
    line += newlines(part);
  }
  return found;
}

/** Code between backticks counts as one word. */
export const withoutCode = (text) => text.replaceAll(/`[^`]*`/g, CODE);

/** @returns {{ text: string, line: number, words: number }[]} Cells of tables. */
export function cellsOf(tree) {
  const found = [];
  visit(tree, 'tableCell', (node) => {
    const text = proseOf(node);
    found.push({ text, line: node.position.start.line, words: wordsOf(text).length });
  });
  return found;
}

/** All words of a page outside code blocks, as `wc` would count them. */
export function countWords(tree) {
  let count = 0;
  visit(tree, (node) => {
    if (node.type === 'code' || node.type === 'yaml' || node.type === 'html') return SKIP;
    if (node.type === 'text' || node.type === 'inlineCode')
      count += node.value.split(/\s+/).filter(Boolean).length;
    return undefined;
  });
  return count;
}

/** Flesch reading ease: 60 to 70 is plain English, below 30 is very difficult. */
export function fleschOf(sentences) {
  const words = sentences.flatMap(({ text }) => wordsOf(text));
  if (words.length === 0) return NaN;
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  return 206.835 - 1.015 * (words.length / sentences.length) - 84.6 * (syllables / words.length);
}

export const wordsOf = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}\u{E000}]/u.test(word));

function proseOf(node) {
  if (node.type === 'inlineCode') return CODE;
  if (node.type === 'text') return node.value;
  if (node.type === 'break') return '\n';
  if (node.type === 'html' || node.type === 'image') return '';
  return node.children === undefined ? toString(node) : node.children.map(proseOf).join('');
}

/** After a full stop, a question or exclamation mark, before a capital letter, a digit, a quote or code. */
function split(text) {
  const parts = text.split(/(?<=[.!?]["'”)]*)(?=\s+["'“(]*[\p{Lu}\p{N}\u{E000}])/u);
  return parts.reduce((sentences, part) => {
    const before = sentences.at(-1);
    if (before !== undefined && ABBREVIATION.test(before)) sentences[sentences.length - 1] += part;
    else sentences.push(part);
    return sentences;
  }, []);
}

const newlines = (text) => text.split('\n').length - 1;

function syllablesOf(word) {
  const letters = word.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (letters.length < 4) return 1;
  const groups = letters.replace(/(?:[^laeiouy]es|[^dt]ed|[^laeiouy]e)$/, '').match(/[aeiouy]{1,2}/g);
  return Math.max(1, groups?.length ?? 1);
}
