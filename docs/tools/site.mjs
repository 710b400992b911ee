/**
 * `npm run docs:site`: builds the documentation site into dist/docs-site from the pages of docs/. It needs no other server: pages, style,
 * search and pictures are files of the folder, with relative addresses. Diagrams are pictures that `npm run docs:pictures` has drawn.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import rehypeSlug from 'rehype-slug';
import rehypeStringify from 'rehype-stringify';
import remarkRehype from 'remark-rehype';
import { toString } from 'mdast-util-to-string';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import { pictureOf } from './lib/diagrams.mjs';
import { findPages, readPage } from './lib/pages.mjs';
import { addressOf, searchIndex, titleOf } from './lib/search.mjs';

const OUT = 'dist/docs-site';
const FILES = fileURLToPath(new URL('site', import.meta.url));
const SECTIONS = [
  ['start', 'Start'],
  ['guides', 'Guides'],
  ['concepts', 'Concepts'],
  ['reference', 'Reference'],
];
const toHtml = unified().use(remarkRehype).use(rehypeSlug).use(rehypeStringify);
const template = readFileSync(path.join(FILES, 'page.html'), 'utf8');

const pages = findPages(['docs/README.md', ...SECTIONS.map(([name]) => `docs/${name}`)]).map(readPage);
const known = new Set(pages.map(({ file }) => file));
const index = readFileSync('docs/README.md', 'utf8');
const titles = new Map(pages.map((page) => [page.file, titleOf(page)]));
const search = JSON.stringify(searchIndex(pages));

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const page of pages) writePage(page);
for (const name of ['site.js', 'options.mjs']) cpSync(path.join(FILES, name), path.join(OUT, name));
const styles = ['page/styles/tokens.css', path.join(FILES, 'site.css')];
writeFileSync(path.join(OUT, 'site.css'), styles.map((file) => readFileSync(file, 'utf8')).join('\n'));
cpSync('page/icon.svg', path.join(OUT, 'icon.svg'));
const library = path.dirname(fileURLToPath(import.meta.resolve('minisearch')));
cpSync(path.join(library, 'index.js'), path.join(OUT, 'minisearch.js'));
writeFileSync(path.join(OUT, 'search.json'), search);
console.log(`${pages.length} pages in ${OUT}.`);

function writePage(page) {
  const { file, tree, front } = page;
  const target = path.posix.join(OUT, addressOf(file));
  const root = path.posix.relative(path.posix.dirname(addressOf(file)), '.') || '.';
  visit(tree, (node, i, parent) => {
    if (node.type === 'yaml') {
      parent.children.splice(i, 1);
      return i;
    }
    if (node.type === 'link' && linkOf(node.url, file) === undefined) {
      // A file that only the repository has: its name stays, as text.
      parent.children.splice(i, 1, ...node.children);
      return i;
    }
    if (node.type === 'link' || node.type === 'definition') node.url = linkOf(node.url, file) ?? '#';
    if (node.type === 'image') node.url = fileOf(node.url, file, root);
    if (node.type === 'code' && node.lang === 'mermaid') parent.children[i] = drawn(node, root);
    return undefined;
  });
  const html = toHtml.runSync(tree);
  breakCode(html);
  const values = {
    root,
    title: escaped(titles.get(file)),
    description: escaped(front.description ?? ''),
    navigation: navigation(file, root),
    content: toHtml.stringify(html),
    contents: contentsOf(html),
  };
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(
    target,
    template.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]),
  );
}

/** Lets names and paths break after their parts. */
function breakCode(html) {
  visit(html, { tagName: 'code' }, (node, _, parent) => {
    if (parent.tagName === 'pre') return;
    node.children = node.children.flatMap((child) =>
      child.type === 'text'
        ? child.value
            .split(/(?<=[/_.])(?=[^/_.])/)
            .flatMap((value, i) => [
              ...(i === 0 ? [] : [{ type: 'element', tagName: 'wbr', properties: {}, children: [] }]),
              { type: 'text', value },
            ])
        : [child],
    );
  });
}

/** The sections of a page that has several. */
function contentsOf(html) {
  const links = [];
  visit(html, { tagName: 'h2' }, (node) => {
    links.push(`<li><a href="#${node.properties.id}">${escaped(toString(node))}</a></li>`);
  });
  if (links.length < 3) return '';
  return `<aside aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></aside>`;
}

/** The address of a page of the site; undefined: only the repository has the file. */
function linkOf(url, file) {
  if (/^[a-z][a-z0-9+.-]*:|^#/i.test(url)) return url;
  const [place, anchor] = url.split('#');
  const target = path.posix.join(path.posix.dirname(file), place);
  if (!known.has(target)) return undefined;
  const from = path.posix.dirname(addressOf(file));
  return `${path.posix.relative(from, addressOf(target))}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Pictures lie beside the pages. */
function fileOf(url, file, root) {
  if (/^[a-z]+:/i.test(url)) return url;
  const source = path.posix.join(path.posix.dirname(file), url);
  const name = source.replace(/^docs\//, '');
  if (existsSync(source)) cpSync(source, path.join(OUT, name));
  return `${root}/${name}`;
}

function drawn({ value }, root) {
  const picture = pictureOf(value);
  if (!existsSync(picture)) return { type: 'code', lang: 'text', value };
  const name = picture.replace(/^docs\//, '');
  cpSync(picture, path.join(OUT, name));
  return { type: 'paragraph', children: [{ type: 'image', url: `${root}/${name}`, alt: 'Diagram' }] };
}

/** In the order of the index. */
function navigation(current, root) {
  return SECTIONS.map(([name, title]) => {
    const links = [...index.matchAll(/\]\(([^)]+\.md)\)/g)]
      .map(([, place]) => `docs/${place}`)
      .filter((file) => file.startsWith(`docs/${name}/`) && known.has(file))
      .map((file) => {
        const here = file === current ? ' aria-current="page"' : '';
        return `<li><a href="${root}/${addressOf(file)}"${here}>${escaped(titles.get(file))}</a></li>`;
      });
    const open = current.startsWith(`docs/${name}/`) ? ' open' : '';
    return `<details${open}><summary>${title}</summary><ul>${links.join('')}</ul></details>`;
  }).join('\n');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
