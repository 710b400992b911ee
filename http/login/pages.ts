import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Context } from 'koa';
import { packageRoot } from '../../config/info.ts';

/** The small pages of the login, in the design of the web page. They have no script and load nothing from other hosts. */
export interface Page {
  readonly status: number;
  readonly title: string;
  /** Sentences, each a paragraph of its own. */
  readonly says: readonly string[];
  readonly link?: { readonly to: string; readonly text: string };
  readonly form?: Form;
}

export interface Form {
  readonly action: string;
  /** Hidden fields of the form. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly button: string;
}

const fileOfPage = (...names: readonly string[]) =>
  readFileSync(path.join(packageRoot, 'page', ...names), 'utf8');
const STYLE = `${fileOfPage('styles', 'tokens.css')}${fileOfPage('styles', 'login.css')}`;
const ICON = fileOfPage('icon.svg').replace('<svg ', '<svg aria-hidden="true" ');
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page. */
export function showPage(ctx: Context, { status, title, says, link, form }: Page): void {
  const parts = [
    ...says.map((sentence) => `<p>${markCommands(sentence)}</p>`),
    ...(form === undefined ? [] : [formHtml(form)]),
    ...(link === undefined ? [] : [`<p><a href="${escapeText(link.to)}">${escapeText(link.text)}</a></p>`]),
  ];
  ctx.status = status;
  ctx.set('Content-Security-Policy', POLICY);
  // The address of a page may contain a link that works once. With no-referrer, browsers would omit the Origin of forms.
  ctx.set('Referrer-Policy', 'same-origin');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body =
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    `<meta name="viewport" content="width=device-width"><title>${escapeText(title)} – Troupe</title><style>${STYLE}</style></head>` +
    `<body><main class="login">${ICON}<h1>${escapeText(title)}</h1>${parts.join('')}</main></body></html>\n`;
}

function formHtml({ action, hidden, button }: Form): string {
  const kept = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeText(name)}" value="${escapeText(value)}">`,
  );
  return `<form method="post" action="${escapeText(action)}">${kept.join('')}<button>${escapeText(button)}</button></form>`;
}

/** Marks text between backquotes as a command to copy. */
const markCommands = (sentence: string) => escapeText(sentence).replaceAll(/`([^`]*)`/g, '<code>$1</code>');

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeText = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');
