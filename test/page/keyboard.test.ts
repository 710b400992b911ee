/** The page with the keyboard only, on a very narrow screen, and with reduced motion. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../config/info.ts';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { sampleUri, Service } from '../support/processes/service.ts';

const MOST_STEPS = 90;

/** Presses Tab until a matching element has the focus, and scrolls to it. */
async function tabTo(page: Page, selector: string, key = 'Tab'): Promise<void> {
  const look = (): Promise<{ fits: boolean; outlined: boolean; what: string }> =>
    page.evaluate(`(() => {
      const { activeElement: at } = document;
      const { outlineStyle, boxShadow } = getComputedStyle(at);
      return { fits: at.matches(${JSON.stringify(selector)}), outlined: outlineStyle !== 'none' || boxShadow !== 'none', what: at.outerHTML.slice(0, 80) };
    })()`);
  for (let step = 0; step < MOST_STEPS; step++) {
    await page.keyboard.press(key);
    const { fits, outlined, what } = await look();
    if (!fits) continue;
    expect(outlined, `the focus can be seen on ${what}`).to.equal(true);
    return;
  }
  throw new Error(`${selector} cannot be reached with ${key}`);
}

(hasChromium ? describe : describe.skip)('The page by keys alone', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  let done: string;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    done = await service.submit({
      media: [sampleUri('digital-clock.jpg')],
      pipelineName: 'LIGHT PIPELINE',
      externalId: 'for the keys',
    });
    await service.terminal(done);
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  it('starts an analysis in the sheet and opens what was found', async () => {
    const { page } = await chromium.reader(service, '#/library');
    await tabTo(page, 'button.new');
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'New analysis' });
    await sheet.locator('input[type=file]:not([webkitdirectory])').waitFor({ state: 'attached' });
    await tabTo(page, 'dialog input[type=file]:not([webkitdirectory])');
    // The key opens the file dialog of the browser, which is not part of the page.
    const pressed = page.evaluate(`new Promise((resolve) => {
      const stop = (event) => (event.preventDefault(), resolve(true));
      document.activeElement.addEventListener('click', stop, { once: true });
    })`);
    await page.keyboard.press('Space');
    expect(await pressed).to.equal(true);
    await page
      .locator('dialog input[type=file]:not([webkitdirectory])')
      .setInputFiles(join(packageRoot, 'samples', 'astronaut.png'));
    const goal = sheet.getByRole('checkbox', { name: /^Faces/ });
    await sheet.getByText('astronaut.png').waitFor();
    while (!(await goal.evaluate((element) => element === element.ownerDocument.activeElement)))
      await tabTo(page, 'dialog .goal input');
    await page.keyboard.press('Space');
    const things = sheet.getByRole('checkbox', { name: /^People and things/ });
    if (await things.isChecked()) {
      while (!(await things.evaluate((element) => element === element.ownerDocument.activeElement)))
        await tabTo(page, 'dialog .goal input', 'Shift+Tab');
      await page.keyboard.press('Space');
    }
    await tabTo(page, 'dialog .start button.primary');
    await page.keyboard.press('Enter');
    await page.locator('h1 .status', { hasText: /^Complete$/ }).waitFor();
    await page.getByRole('link', { name: /astronaut\.png/ }).waitFor();
    await tabTo(page, 'a[href*="/media/"]');
    await page.keyboard.press('Enter');
    await page.locator('svg.boxes path').first().waitFor({ state: 'attached' });
    await page.keyboard.press('j');
    await page.locator('svg.boxes path.selected').waitFor({ state: 'attached' });
  });

  it('closes the sheet and a menu with Escape, back to where they were opened', async () => {
    const { page } = await chromium.reader(service, '#/library');
    const focused = (selector: string) =>
      page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`);
    await tabTo(page, 'button.new');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'New analysis' }).waitFor({ state: 'hidden' });
    expect(await focused('button.new')).to.equal(true);
    await tabTo(page, 'summary[aria-label^="Account of"]');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await tabTo(page, '.menu-list a');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Log out' }).waitFor({ state: 'hidden' });
    expect(await focused('summary[aria-label^="Account of"]')).to.equal(true);
  });

  it('selects jobs, labels them and opens one', async () => {
    const { page } = await chromium.reader(service, '#/jobs?externalId=for+the+keys');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.locator(`tr[data-job="${done}"]`).waitFor();
    await tabTo(page, `input[aria-label="Select ${done}"]`);
    await page.keyboard.press('Space');
    await page.getByText('1 job selected').waitFor();
    await tabTo(page, 'input[aria-label="Label for the selected jobs"]', 'Shift+Tab');
    await page.keyboard.type('seen:today');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1 job done.').waitFor();
    await tabTo(page, `a[href="#/jobs/${done}"]`);
    await page.keyboard.press('Enter');
    await page.locator('main').getByText(done, { exact: true }).waitFor();
  });

  it('skips to the content and narrows the library by a filter', async () => {
    const { page } = await chromium.reader(service, '#/library');
    await page.locator('.facets a').first().waitFor();
    await tabTo(page, 'a.skip');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
    await tabTo(page, '.facets a');
    await page.keyboard.press('Enter');
    await page.locator('.facets a[aria-current]').waitFor();
  });

  it('moves nothing for a reader who wants no motion', async () => {
    const { page } = await chromium.reader(service, '#/library');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.locator('.facets a').first().waitFor();
    const moving = await page.evaluate(`[...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationName } = getComputedStyle(element);
      return animationName !== 'none' || transitionDuration.split(', ').some((time) => time !== '0s');
    }).map((element) => element.className)`);
    await page.emulateMedia({ reducedMotion: null });
    expect(moving).to.deep.equal([]);
  });
});
