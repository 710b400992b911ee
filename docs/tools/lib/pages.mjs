/** Pages of the documentation: where they are, and what they contain. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { parse as parseYaml } from 'yaml';

/** What is checked. */
export const CHECKED = [
  'README.md',
  'docs/README.md',
  'docs/start',
  'docs/guides',
  'docs/concepts',
  'docs/reference',
  'docs/records',
];

/** Records are for developers: neither the index nor the site has them. */
export const isRecord = ({ file }) => file.startsWith('docs/records/');

const parser = unified().use(remarkParse).use(remarkFrontmatter).use(remarkGfm);

export function findPages(places = CHECKED) {
  return places.flatMap((place) => {
    if (!existsSync(place)) return [];
    if (!statSync(place).isDirectory()) return [place];
    return readdirSync(place, { recursive: true })
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(place, name.replaceAll(path.sep, '/')))
      .sort();
  });
}

/** @returns file, text, tree, and the values of its front matter. */
export function readPage(file) {
  return parsePage(file, readFileSync(file, 'utf8'));
}

export function parsePage(file, text) {
  const tree = parser.parse(text);
  const front = tree.children.find(({ type }) => type === 'yaml');
  return { file, text, tree, front: front === undefined ? {} : (parseYaml(front.value) ?? {}) };
}
