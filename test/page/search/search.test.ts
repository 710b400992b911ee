/** Search with results of real detectors, in a real browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { pdfOf, writeLines } from '../../support/media/pdf.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

(hasChromium ? describe : describe.skip)('The search of the page', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    const door = join(service.mediaDir, 'red-door.png');
    await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c81e1e' } }).toFile(door);
    const jobs = [
      [sampleUri('astronaut.png'), 'FACE DETECTION PIPELINE'],
      [sampleUri('astronaut.png'), 'FACE DETECTION PIPELINE'],
      [pathToFileURL(door).href, 'IMAGE PROPERTIES DETECTION PIPELINE'],
    ] as const;
    for (const [medium, pipelineName] of jobs)
      await service.terminal(await service.submit({ media: [medium], pipelineName }), 120_000);
    await until(
      'the index has all media',
      async () => (await service.ask('GET', '/rest/library')).body as { media: readonly unknown[] },
      ({ media }) => media.length === jobs.length,
    );
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  it('shows the crop of a face once, though two jobs found it', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search?text=face');
    const crop = page.locator('ul.hits li svg.crop');
    await crop.first().waitFor();
    expect(await crop.count()).to.equal(1);
    const loaded = await crop
      .locator('image')
      .evaluate((image: { href: { baseVal: string } }) => image.href.baseVal);
    expect(loaded).to.match(/\/frames\/0\.jpg/);
    expect(complaints).to.deep.equal([]);
  });

  it('finds a colour by its name and narrows by counted filters, which can be taken away', async () => {
    const { page } = await chromium.reader(service, '#/search');
    await page.getByLabel('Text, thing or colour').fill('red');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('ul.hits li', { hasText: 'red-door.png' }).waitFor();
    await page
      .getByLabel('Filters', { exact: true })
      .getByRole('link', { name: /^Red 1$/ })
      .click();
    await page.waitForURL(/colour=red/);
    await page.getByRole('link', { name: 'Remove Red' }).click();
    await until('the filter is gone', () => !page.url().includes('colour='));
    await page.goto(`${service.url}/#/search?text=zeppelin`);
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
  });

  it('counts each filter with the others, and offers the other choices of a list', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search');
    const filters = page.getByLabel('Filters', { exact: true });
    const filter = (name: RegExp) => filters.getByRole('link', { name });
    for (const name of [/^Faces 1$/, /^Pictures 1$/, /^Red 1$/, /^Today 2$/, /^Last 30 days 2$/])
      await filter(name).waitFor();
    await filter(/^astronaut\.png 1$/).waitFor();
    await filter(/^red-door\.png 1$/).waitFor();
    await filter(/^75 % sure \d$/).waitFor();
    await filter(/^Faces 1$/).click();
    await filter(/^Today 1$/).waitFor();
    expect(await filter(/^Red/).count()).to.equal(0);
    expect(await filter(/^red-door/).count()).to.equal(0);
    expect(await filter(/^Faces 1$/).getAttribute('aria-current')).to.equal('true');
    await filter(/^Pictures 1$/).click();
    await page.waitForURL(/type=(?!FACE)/);
    await filter(/^Red 1$/).waitFor();
    await page.locator('ul.hits li', { hasText: 'red-door.png' }).waitFor();
    await page.goto(`${service.url}/#/search?to=2020-01-01T00:00`);
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('lists hits of one of two words in the order that is chosen', async () => {
    const { page } = await chromium.reader(service, '#/search?text=face%20OR%20red');
    const first = page.locator('ul.hits li').first();
    await first.filter({ hasText: 'red-door.png' }).waitFor();
    expect(await page.locator('ul.hits li').count()).to.equal(2);
    await page.getByRole('link', { name: 'Oldest first' }).click();
    await page.waitForURL(/sort=oldest/);
    await first.filter({ hasText: 'astronaut.png' }).waitFor();
    await page.getByRole('link', { name: 'Oldest first' }).click();
    await first.filter({ hasText: 'red-door.png' }).waitFor();
  });

  it('narrows by date and time', async () => {
    const { page } = await chromium.reader(service, '#/search?text=face&days=7');
    const hit = page.locator('ul.hits li');
    await hit.filter({ hasText: 'astronaut.png' }).waitFor();
    await page.getByText('Other time').click();
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T14:00');
    await page.waitForURL(/from=2020-01-01T14%3A00/);
    expect(page.url()).not.to.include('days=');
    await page.getByRole('link', { name: /^Remove From .*2020/ }).waitFor();
    await hit.filter({ hasText: 'astronaut.png' }).waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T14:30');
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
    await page.goto(`${service.url}/#/search?text=face&from=nonsense`);
    await hit.filter({ hasText: 'astronaut.png' }).waitFor();
  });

  it('opens a document at the page of the hit', async () => {
    const lines = Array.from({ length: 4 }, (_, n) => ({
      content: writeLines([72, 700, `Chapter ${['one', 'two', 'three', 'zeppelin'][n]}`]),
    }));
    const book = join(service.mediaDir, 'book.pdf');
    writeFileSync(book, pdfOf(lines));
    const job = await service.submit({
      media: [pathToFileURL(book).href],
      pipelineName: 'DOCUMENT TEXT DETECTION PIPELINE',
    });
    await service.terminal(job, 120_000);
    await until(
      'the index has the document',
      async () => (await service.ask('GET', `/rest/search?job=${job}`)).body as { hits: readonly unknown[] },
      ({ hits }) => hits.length > 0,
    );
    const { page, complaints } = await chromium.reader(service, '#/search?text=zeppelin');
    await page.locator('ul.hits li a.tile').first().click();
    await page.waitForURL(/[?&]page=4/);
    const last = page.getByRole('article', { name: 'Page 4' });
    await last.getByText('Chapter zeppelin').waitFor();
    await until('the picture is loaded', () =>
      page.evaluate<boolean>(`document.querySelector('.paper:last-child img')?.naturalHeight > 0`),
    );
    const topOf = (box: { readonly y: number } | null) => box!.y;
    const list = page.locator('.pages-of-text');
    const top = topOf(await last.boundingBox()) - topOf(await list.boundingBox());
    expect(top).to.be.within(-50, 50);
    expect((await service.ask('DELETE', `/rest/jobs/${job}`)).status).to.equal(204);
    expect(complaints).to.deep.equal([]);
  });

  it('shows groups of pictures that are almost equal', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search');
    await page.getByRole('link', { name: 'Near duplicates' }).click();
    await page.getByRole('heading', { name: 'No pictures are almost equal' }).waitFor();
    expect(await violationsOf(page, 'no near duplicates')).to.deep.equal([]);
    const copy = join(service.mediaDir, 'copy.jpg');
    await sharp(fileURLToPath(sampleUri('coffee.png')))
      .resize(300)
      .jpeg({ quality: 60 })
      .toFile(copy);
    const job = await service.submit({
      media: [sampleUri('coffee.png'), pathToFileURL(copy).href],
      pipelineName: 'IMAGE PROPERTIES DETECTION PIPELINE',
    });
    await service.terminal(job, 120_000);
    await until(
      'the copies are found',
      async () =>
        (await service.ask('GET', '/rest/search/duplicates')).body as { groups: readonly unknown[] },
      ({ groups }) => groups.length === 1,
    );
    await page.reload();
    await page.getByRole('heading', { name: '2 pictures' }).waitFor();
    const tiles = page.locator('ul.hits li');
    expect((await tiles.allTextContents()).join()).to.match(
      /copy\.jpg.*coffee\.png.*(Looks the same|\d+ % alike)/s,
    );
    expect(await violationsOf(page, 'near duplicates')).to.deep.equal([]);
    await tiles.filter({ hasText: 'copy.jpg' }).getByRole('link').click();
    await page.waitForURL(/#\/jobs\/.*\/media\//);
    await page.getByRole('heading', { name: 'copy.jpg' }).waitFor();
    await page.goto('about:blank');
    expect((await service.ask('DELETE', `/rest/jobs/${job}`)).status).to.equal(204);
    expect(complaints).to.deep.equal([]);
  });

  it('saves a search for the user, in any browser, and deletes it', async () => {
    const { page } = await chromium.reader(service, '#/search?text=face&sure=0.5');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByLabel('Name of the search').fill('Sure faces');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Sure faces' }).waitFor();
    await page.goto(`${service.url}/#/search`);
    await page.reload();
    await page.getByRole('link', { name: 'Sure faces' }).click();
    await page.waitForURL(/text=face.*sure=0\.5|sure=0\.5.*text=face/);
    await page.getByRole('button', { name: 'Delete the saved search Sure faces' }).click();
    await page.getByRole('link', { name: 'Sure faces' }).waitFor({ state: 'detached' });
  });

  it('saves the order and the time of a search, too', async () => {
    const { page } = await chromium.reader(service, '#/search');
    const searches = {
      'Last week': 'text=face&days=7&sort=oldest',
      'One hour': 'text=face&from=2026-11-27T14%3A00&to=2026-11-27T15%3A00&sort=best',
    };
    for (const [name, query] of Object.entries(searches)) {
      await page.goto(`${service.url}/#/search?${query}`);
      await page.getByRole('button', { name: 'Save this search' }).click();
      await page.getByLabel('Name of the search').fill(name);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('link', { name, exact: true }).waitFor();
    }
    for (const [name, query] of Object.entries(searches)) {
      await page.goto(`${service.url}/#/search`);
      await page.getByRole('link', { name, exact: true }).click();
      await page.waitForURL(/\?/);
      const wanted = Object.fromEntries(new URLSearchParams(query));
      const opened = new URLSearchParams(page.url().split('?')[1]);
      expect(Object.fromEntries(opened), name).to.deep.equal(wanted);
    }
    for (const name of Object.keys(searches))
      await page.getByRole('button', { name: `Delete the saved search ${name}` }).click();
    await page.locator('.saved a').first().waitFor({ state: 'detached' });
  });
});
