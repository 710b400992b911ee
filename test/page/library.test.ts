/** The library in a real browser: groups, sort orders and views, and media that are hard to display. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../config/info.ts';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const MARKUP = '<img src=x onerror=tricked=1>.png';
/** The longest allowed name. */
const LONG = 'x'.repeat(1_000);

(hasChromium ? describe : describe.skip)('The library', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    const markup = join(service.mediaDir, MARKUP);
    copyFileSync(join(packageRoot, 'samples', 'astronaut.png'), markup);
    const broken = join(service.mediaDir, 'broken.mp4');
    writeFileSync(broken, 'This is no video.');
    const given = [
      { media: [sampleUri('digital-clock.jpg')], labels: ['site-b'], externalId: LONG },
      { media: [pathToFileURL(markup).href, pathToFileURL(broken).href], labels: ['site-a', 'site-b'] },
      { media: [sampleUri('green.wav')], pipelineName: 'SPEECH DETECTION PIPELINE' },
    ];
    for (const { media, ...job } of given)
      await service.terminal(
        await service.submit({
          media: media.map((mediaUri) => ({ mediaUri })),
          ...{ pipelineName: 'LIGHT PIPELINE', ...job },
        }),
        120_000,
      );
    await hasMedia(4);
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const hasMedia = (count: number) =>
    until(
      `the index has ${count} media`,
      async () => (await service.ask('GET', '/rest/library')).body as { media: readonly unknown[] },
      ({ media }) => media.length === count,
    );
  /** Headings and names from top to bottom. */
  const shown = (page: Page, wanted: readonly string[]) =>
    until(
      `${wanted.join(', ')} are listed`,
      () => page.locator('.rows :is(h2, .name)').allTextContents(),
      (texts) => JSON.stringify(texts) === JSON.stringify(wanted),
    );

  it('groups and sorts media in a grid or a list, and keeps the choice in its address', async () => {
    const { page, complaints } = await chromium.reader(service, '');
    await shown(page, ['Today', 'green.wav', MARKUP, 'broken.mp4', 'digital-clock.jpg']);
    await page.getByRole('link', { name: 'List' }).click();
    await page.locator('a.list-row', { hasText: 'green.wav' }).waitFor();
    expect(await page.locator('a.tile').count()).to.equal(0);
    await page.getByLabel('Sort').selectOption('By name');
    await shown(page, [MARKUP, 'broken.mp4', 'digital-clock.jpg', 'green.wav']);
    await page.getByLabel('Groups').selectOption('By label');
    const byLabel = [
      ...['site-a', MARKUP, 'broken.mp4'],
      ...['site-b', MARKUP, 'broken.mp4', 'digital-clock.jpg'],
      ...['Without a label', 'green.wav'],
    ];
    await shown(page, byLabel);
    await page.reload();
    await shown(page, byLabel);
    expect(new URL(page.url()).hash).to.equal('#/library?view=list&sort=name&group=label');
    await page.getByLabel('Sort').selectOption('Longest first');
    await page.getByLabel('Groups').selectOption('No groups');
    await until(
      'the sound is the first',
      () => page.locator('.rows .name').first().textContent(),
      (first) => first === 'green.wav',
    );
    await page.getByRole('link', { name: /^site-a 2$/ }).click();
    await shown(page, [MARKUP, 'broken.mp4']);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await until('all are listed', async () => (await page.locator('.rows .name').count()) === 4);
    expect(new URL(page.url()).hash).to.include('view=list');
    expect(complaints).to.deep.equal([]);
  });

  it('selects jobs in a list, labels them and deletes one', async () => {
    const own = ['own-1.png', 'own-2.png', 'own-3.png'].map((name) => join(service.mediaDir, name));
    for (const file of own) copyFileSync(join(packageRoot, 'samples', 'hello-world.png'), file);
    const submit = (files: readonly string[]) =>
      service.submit({
        media: files.map((file) => pathToFileURL(file).href),
        pipelineName: 'LIGHT PIPELINE',
      });
    const [left, deleted] = [await submit(own.slice(0, 2)), await submit(own.slice(2))];
    for (const job of [left, deleted]) await service.terminal(job);
    await hasMedia(7);
    const { page, complaints } = await chromium.reader(service, '#/library?view=list&sort=name');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByLabel('Select the job of own-2.png').check();
    expect(await page.getByLabel('Select the job of own-1.png').isChecked()).to.equal(true);
    await page.getByLabel('Select the job of own-3.png').press('Space');
    await page.getByText('2 jobs selected').waitFor();
    await page.getByLabel('Label for the selected jobs').fill('site-c');
    await page.getByRole('button', { name: 'Add label' }).click();
    await page.getByText('2 of 2 jobs done.').waitFor();
    await until('the label is a filter', async () => {
      await page.reload();
      await page.locator('.facets a').first().waitFor();
      return (await page.getByRole('link', { name: /^site-c 3$/ }).count()) > 0;
    });
    await page.getByLabel('Select the job of own-3.png').check();
    await page.getByLabel('Selected jobs').getByRole('button', { name: 'Delete' }).click();
    await shown(page, [MARKUP, 'broken.mp4', 'digital-clock.jpg', 'green.wav', 'own-1.png', 'own-2.png']);
    expect(complaints).to.deep.equal([]);
    expect((await service.ask('DELETE', `/rest/jobs/${left}`)).status).to.equal(204);
    await hasMedia(4);
  });

  it('loads more media only when the reader comes near the end', async () => {
    const { page } = await chromium.reader(service, '#/pipelines');
    const { media } = (await service.ask('GET', '/rest/library')).body as { media: readonly object[] };
    const asked: (string | null)[] = [];
    await page.route(/\/rest\/library\?/, async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('cursor'));
      const copies = Array.from({ length: 60 }, (_, n) => ({ ...media[0], mediaId: 100 * asked.length + n }));
      await route.fulfill({ json: { media: copies, next: `after-${asked.length}` } });
    });
    const watchEnd = () =>
      page.evaluate(`new Promise((resolve) => {
        const observer = new IntersectionObserver(() => resolve(observer.disconnect()), { rootMargin: '800px' });
        observer.observe(document.querySelector('.pages button'));
      })`);
    const tall = (pages: number) =>
      until(
        `the height is that of ${pages} pages`,
        async () => (await page.locator('.rows').boundingBox())?.height ?? 0,
        (height) => height > pages * 60 * 50,
      );
    await page.goto(`${service.url}/#/library?view=list&sort=name`);
    await tall(1);
    await watchEnd();
    expect(asked).to.deep.equal([null]);
    await page.locator('.pages').scrollIntoViewIfNeeded();
    await tall(2);
    expect(asked).to.deep.equal([null, 'after-1']);
    await page.unrouteAll();
  });

  it('shows markup in names, long names and media without a picture on narrow screens', async () => {
    for (const query of ['group=job', 'group=job&view=list']) {
      const size = { width: 320, height: 640 };
      const { page, complaints } = await chromium.reader(service, `#/library?${query}`, { size });
      await page.getByText(MARKUP).first().waitFor();
      await page.getByRole('heading', { name: LONG.slice(0, 100) }).waitFor();
      await until(
        'the broken video has a sign in place of a picture',
        async () => (await page.locator('.rows .placeholder', { hasText: 'MP4' }).count()) === 1,
      );
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(320);
      expect(await page.evaluate('window.tricked')).to.equal(undefined);
      expect(complaints).to.deep.equal([]);
    }
  });
});
