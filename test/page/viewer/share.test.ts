/** The button "Share" of the viewer, in a real browser. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

(hasChromium ? describe : describe.skip)('A link to what the viewer shows', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  const places: Record<string, string> = {};
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    const jobs = [
      ['video', 'face_move.mp4', 'FACE DETECTION PIPELINE'],
      ['document', 'slides.odp', 'DOCUMENT TEXT DETECTION PIPELINE'],
    ] as const;
    for (const [name, sample, pipelineName] of jobs) {
      const job = await service.submit({ media: [sampleUri(sample)], pipelineName });
      await service.terminal(job, 120_000);
      places[name] = `#/jobs/${job}/${await service.placeOf(job)}`;
    }
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const open = async (name: string) => {
    const { page } = await chromium.reader(service, places[name]!);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.tracks li').first().waitFor();
    return page;
  };
  const share = async (page: Page) => {
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('status').getByText('Link copied').waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  const openAnew = async (page: Page, link: string) => {
    await page.goto('about:blank');
    await page.goto(link);
  };

  it('opens the same frame with the same finding', async () => {
    const page = await open('video');
    const frame = async () => Number(await page.locator('svg.boxes').getAttribute('data-frame'));
    await page.locator('.tracks button').first().click();
    const exemplar = await until('the exemplar is shown', frame, (at) => at > 0);
    await page.keyboard.press('.');
    await until('the next frame is shown', frame, (at) => at === exemplar + 1);
    const link = await share(page);
    expect(link.startsWith(`${service.url}/${places['video']}?`), link).to.equal(true);
    await page.getByText('Link copied').waitFor({ state: 'detached' });
    await openAnew(page, link);
    await until('the same frame is shown', frame, (at) => at === exemplar + 1);
    await page.locator('svg.boxes path.selected').waitFor({ state: 'attached' });
    await page.locator('.tracks .chosen-track').waitFor();
  });

  it('opens the same page of a document with the same text', async () => {
    const page = await open('document');
    const top = () => page.evaluate<number>(`document.querySelector('.pages-of-text').scrollTop`);
    await page.getByRole('button', { name: /Delimiter and Backspace/ }).click();
    await page.locator('.paper .selected').waitFor();
    expect(await until('the text is shown', top, (at) => at > 0)).to.be.above(0);
    await page.evaluate(
      `(() => { const list = document.querySelector('.pages-of-text'); list.scrollTop += document.querySelector('[data-page="3"]').getBoundingClientRect().top - list.getBoundingClientRect().top; })()`,
    );
    await page.waitForURL(/page=3&track=/);
    const before = await top();
    const link = await share(page);
    await openAnew(page, link);
    await page.locator('.paper .selected').waitFor();
    await until('the same page is shown', top, (at) => Math.abs(at - before) <= 1);
    expect(await page.locator('.paper .selected').textContent()).to.equal('Delimiter and Backspace');
  });

  it('is shown where the browser does not give access to the clipboard', async () => {
    const page = await open('video');
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const field = page.getByLabel('Copy this link to what you see now.');
    expect(await field.inputValue()).to.include(`${service.url}/${places['video']}?t=`);
    expect(await violationsOf(page, 'the link')).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });
});
