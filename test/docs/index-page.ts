/** The index of the documentation: every page with its `description:`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { wrapLines } from './text/wrap-lines.ts';

const SECTIONS = [
  ['start', 'Start', 'Try Troupe, step by step.'],
  ['guides', 'Guides', 'Do one task.'],
  ['concepts', 'Concepts', 'Understand how Troupe works, and why.'],
  ['reference', 'Reference', 'Look up the exact behaviour.'],
] as const;

const HEAD = `---
description: All pages of the documentation, with one sentence for each.
---

# Documentation

Start with [the installation](start/install.md).
`;

export function indexPage(folder = 'docs'): string {
  const sections = SECTIONS.map(([name, title, about]) =>
    [`## ${title}\n`, `${about}\n`, `${entries(folder, name).join('\n')}\n`].join('\n'),
  );
  return [HEAD, ...sections].join('\n');
}

/** Pages of a section. Pages listed in ORDER come first. */
function entries(folder: string, section: string): readonly string[] {
  const place = path.join(folder, section);
  const order = ORDER[section] ?? [];
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return filesBelow(place)
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => {
      const text = readFileSync(path.join(place, name), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
      const description =
        /^description: *(.*)$/m
          .exec(text)?.[1]
          ?.trim()
          .replace(/^(["'])(.*)\1$/, '$2') ?? '';
      return wrapLines(`- [${title}](${section}/${name}): ${description}`, '  ');
    });
}

/** The order for a first reading. All other sections are sorted by name. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  start: ['install', 'first-analysis', 'web-page', 'rest-api', 'camera', 'python', 'next-steps'].map(
    (name) => `${name}.md`,
  ),
};

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.replaceAll(path.sep, '/'));
  } catch {
    return [];
  }
}
