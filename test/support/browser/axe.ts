/** What axe-core finds wrong in a view as it is, in both colour schemes and on a narrow screen. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const WIDE = { width: 1400, height: 900 };
const SIZES = [WIDE, { width: 390, height: 844 }];

/** A line for each rule that is broken; ends on a narrow screen in dark colours. */
export async function violationsOf(page: Page, name: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  await page.evaluate(AXE);
  for (const size of SIZES)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // A colour scheme changes no more than colours.
      const rules = colorScheme === 'dark' ? `, runOnly: ['color-contrast']` : '';
      const found = (await page.evaluate(
        `axe.run(document, { resultTypes: ['violations']${rules} }).then(({ violations }) => violations.map(({ id, nodes }) =>
            id + ': ' + nodes.slice(0, 5).map(({ target, any }) => target + ' ' + (any[0]?.message ?? '')).join(' | ')))`,
      )) as readonly string[];
      wrong.push(...found.map((one) => `${name}, ${colorScheme}, ${size.width}: ${one}`));
    }
  return wrong;
}
