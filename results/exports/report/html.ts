import { createHash } from 'node:crypto';
import { inXml } from '../cvat/xml.ts';
import { STYLE } from './style.ts';

/** HTML that is safe to include in a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[];

/** A template. Every inserted value is escaped, except Html. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    literals.map((literal, at) => (at === 0 ? literal : toText(parts[at - 1]!) + literal)).join(''),
  );
}

function toText(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(toText).join('');
  return escapeHtml(String(part));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => inXml(text).replaceAll(/[&<>"']/g, (one) => ESCAPES[one]!);

/** Content policy: nothing is loaded or executed, and only this style sheet is allowed. */
const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The page up to its content. The hash covers exactly the text between the style tags. */
export const headOf = (title: string): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '',
  ].join('\n');

export const PAGE_END = '</body>\n</html>\n';
