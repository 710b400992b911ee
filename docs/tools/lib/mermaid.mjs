/** Draws the Mermaid diagrams of pages, in a browser: the site then needs no script for them. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { visit } from 'unist-util-visit';
import { DIAGRAMS, pictureOf } from './diagrams.mjs';
import { findPages, readPage } from './pages.mjs';

const LIBRARY = fileURLToPath(import.meta.resolve('@mermaid-js/tiny/dist/mermaid.tiny.js'));

/** Draws what is new, and removes pictures of diagrams that are gone. */
export async function drawDiagrams(browser) {
  const sources = new Map(findPages().flatMap((file) => diagramsOf(readPage(file))));
  mkdirSync(DIAGRAMS, { recursive: true });
  for (const name of readdirSync(DIAGRAMS))
    if (!sources.has(path.posix.join(DIAGRAMS, name))) rmSync(path.join(DIAGRAMS, name));
  const missing = [...sources].filter(([picture]) => !existsSync(picture));
  if (missing.length === 0) return 0;
  const page = await browser.newPage();
  await page.setContent('<!doctype html><body></body>');
  await page.addScriptTag({ content: readFileSync(LIBRARY, 'utf8') });
  for (const [picture, { source, file, line }] of missing) {
    try {
      const svg = await page.evaluate(draw, { source, id: path.basename(picture, '.svg') });
      writeFileSync(picture, `${svg}\n`);
    } catch (error) {
      throw new Error(`${file}:${line}: the diagram cannot be drawn: ${error.message}`, { cause: error });
    }
  }
  await page.close();
  return missing.length;
}

/** Diagrams whose picture is missing. */
export function checkDiagrams(pages) {
  return pages
    .flatMap(diagramsOf)
    .filter(([picture]) => !existsSync(picture))
    .map(([, { file, line }]) => ({
      file,
      line,
      rule: 'diagrams',
      message: 'The diagram has no picture for the site: run npm run docs:pictures -- --diagrams.',
    }));
}

function diagramsOf({ file, tree }) {
  const found = [];
  visit(tree, 'code', ({ lang, value, position }) => {
    if (lang === 'mermaid')
      found.push([pictureOf(value), { source: value, file, line: position.start.line }]);
  });
  return found;
}

/** Runs in the browser. */
async function draw({ source, id }) {
  const { mermaid } = globalThis;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'neutral',
    fontFamily: 'sans-serif',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
  });
  const { svg } = await mermaid.render(`d${id}`, source);
  const drawn = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  // As large as it was drawn: a page shows it smaller where it has no room.
  const [, , width] = drawn.getAttribute('viewBox').split(' ');
  drawn.setAttribute('width', String(Math.ceil(Number(width))));
  drawn.removeAttribute('style');
  return new XMLSerializer().serializeToString(drawn);
}
