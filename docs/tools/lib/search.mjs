/** The search index of the site, and the questions that it must answer. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { toString } from 'mdast-util-to-string';
import MiniSearch from 'minisearch';
import { visit } from 'unist-util-visit';
import { searchOptions } from '../site/options.mjs';

const QUESTIONS = 'docs/records/questions.md';

/** docs/guides/find-faces.md is guides/find-faces.html, docs/README.md is index.html. */
export function addressOf(file) {
  return file
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '$1index.html')
    .replace(/\.md$/, '.html');
}

export function titleOf({ tree, file }) {
  const heading = tree.children.find(({ type, depth }) => type === 'heading' && depth === 1);
  return heading === undefined ? file : toString(heading);
}

/** Of pages as they were read: those of the site have lost their diagrams. */
export function searchIndex(pages) {
  const search = new MiniSearch(searchOptions);
  search.addAll(pages.filter(({ file }) => !/(^|\/)README\.md$/.test(file)).map(documentOf));
  return search;
}

function documentOf(page) {
  const headings = [];
  const texts = [];
  visit(page.tree, (node) => {
    if (node.type === 'heading' && node.depth > 1) headings.push(toString(node));
    if (node.type === 'paragraph' || node.type === 'tableCell') texts.push(toString(node));
    if (node.type === 'code') texts.push(node.value);
  });
  return {
    id: addressOf(page.file),
    title: titleOf(page),
    description: page.front.description ?? '',
    section: page.file.split('/')[1],
    // Words that readers use and the page does not.
    keywords: page.front.keywords ?? '',
    headings: headings.join('\n'),
    text: texts.join('\n'),
  };
}

/** Each row of the table of questions names the page that the search must return first. */
export function checkQuestions(pages) {
  if (!existsSync(QUESTIONS)) return [];
  const search = searchIndex(pages);
  return readFileSync(QUESTIONS, 'utf8')
    .split('\n')
    .flatMap((text, i) => {
      const [, question, link] = /^\|[^|]*\|([^|]+\?)\s*\|.*?\]\(([^)]+\.md)/.exec(text) ?? [];
      if (question === undefined) return [];
      const wanted = addressOf(path.posix.join('docs/records', link));
      const [first] = search.search(question);
      if (first?.id === wanted) return [];
      const message = `The search for "${question.trim()}" returns ${first?.id ?? 'nothing'} first, not ${wanted}.`;
      return [{ file: QUESTIONS, line: i + 1, rule: 'search', message }];
    });
}
