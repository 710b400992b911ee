/** Links between pages, to files of the repository and to headings; the index has every page. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import { toString } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';
import { isRecord, readPage } from './pages.mjs';

const INDEX = 'docs/README.md';

export function checkLinks(pages) {
  const known = new Map(pages.map((page) => [page.file, page]));
  const anchors = new Map();
  const anchorsOf = (file) => {
    if (!anchors.has(file)) anchors.set(file, headings(known.get(file) ?? readPage(file)));
    return anchors.get(file);
  };
  return pages.flatMap((page) =>
    linksIn(page).flatMap(({ url, line }) => {
      const message = problemOf(url, page.file, anchorsOf);
      return message === undefined ? [] : [{ file: page.file, line, rule: 'links', message }];
    }),
  );
}

/** Pages that the index does not name. */
export function checkIndex(pages) {
  const index = pages.find(({ file }) => file === INDEX);
  const named = new Set(
    index === undefined ? [] : linksIn(index).map(({ url }) => path.posix.join('docs', url.split('#')[0])),
  );
  return pages
    .filter((page) => page.file.startsWith('docs/') && page.file !== INDEX && !isRecord(page))
    .filter(({ file }) => !named.has(file))
    .map(({ file }) => ({
      file,
      line: 1,
      rule: 'index',
      message: `${INDEX} does not list this page: run npm run docs:generate.`,
    }));
}

function linksIn({ tree }) {
  const found = [];
  visit(tree, (node) => {
    if (['link', 'image', 'definition'].includes(node.type))
      found.push({ url: node.url, line: node.position.start.line });
    if (node.type === 'html')
      for (const [, url] of node.value.matchAll(/(?:src|href)="([^"]+)"/g))
        found.push({ url, line: node.position.start.line });
  });
  return found;
}

function problemOf(url, file, anchorsOf) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return undefined;
  const [place, anchor] = url.split('#');
  const target = place === '' ? file : path.posix.join(path.posix.dirname(file), decodeURI(place));
  if (target.startsWith('..')) return `The link ${url} leaves the repository.`;
  if (place !== '' && !existsSync(target)) return `The link ${url} is dead: ${target} does not exist.`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsOf(target).has(anchor)
    ? undefined
    : `The link ${url} is dead: ${target} has no heading #${anchor}.`;
}

function headings({ tree }) {
  const slugger = new GithubSlugger();
  const found = new Set();
  visit(tree, 'heading', (node) => void found.add(slugger.slug(toString(node))));
  return found;
}
