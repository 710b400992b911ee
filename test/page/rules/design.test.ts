/** Design rules for every view of the page, in a real browser. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const PHONE = { width: 390, height: 844 };
const LARGE = { width: 3_840, height: 2_160 };
const JOBS = [
  ['image', 'astronaut.png', 'FACE DETECTION PIPELINE'],
  ['video', 'face_move.mp4', 'FACE DETECTION PIPELINE'],
  ['document', 'slides.odp', 'DOCUMENT TEXT DETECTION PIPELINE'],
  ['crowd', 'race.jpg', 'OBJECT DETECTION PIPELINE'],
] as const;
type Job = (typeof JOBS)[number][0];

(hasChromium ? describe : describe.skip)('The design of the page', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  const jobs = {} as Record<Job, string>;
  const places = {} as Record<Job, string>;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    for (const [name, sample, pipelineName] of JOBS)
      jobs[name] = await service.submit({ media: [sampleUri(sample)], pipelineName });
    for (const [name] of JOBS) {
      await service.terminal(jobs[name], 120_000);
      places[name] = `#/jobs/${jobs[name]}/${await service.placeOf(jobs[name])}`;
    }
    await until(
      'the index has the media',
      async () => (await service.ask('GET', '/rest/library')).body as { media: readonly unknown[] },
      ({ media }) => media.length === JOBS.length,
    );
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  /** Views with pictures, with an element that is shown when each view is ready. */
  const pictured = () =>
    [
      ['#/library', 'a.tile'],
      ['#/library?view=list', 'a.list-row'],
      ['#/jobs', 'tr[data-job] .chip'],
      [`#/jobs/${jobs.video}`, 'h1 .status'],
      ['#/search?type=FACE', 'ul.hits li'],
      [places.image, '.tracks li'],
      [places.video, '.tracks li'],
    ] as const;

  it('leaves everything in its place when pictures come', async () => {
    const { page } = await chromium.reader(service, '#/pipelines');
    for (const [view, shows] of pictured()) {
      const waiting: (() => void)[] = [];
      let isOpen = false;
      await page.route(/\.jpg|\/media\/\d+$|\/artifacts\//, async (route) => {
        if (route.request().resourceType() === 'image' && !isOpen)
          await new Promise<void>((resolve) => waiting.push(resolve));
        await route.continue().catch(() => undefined);
      });
      await page.goto('about:blank');
      await page.goto(`${service.url}/${view}`);
      await page.locator(shows).first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await until('pictures are on their way', () => waiting.length > 0 || hasVideo(page));
      await page.waitForTimeout(300);
      const before = await placesOf(page);
      isOpen = true;
      for (const go of waiting) go();
      await until('the pictures are there', () =>
        page.evaluate<boolean>(
          `[...document.querySelectorAll('main img')].every(({ complete }) => complete)`,
        ),
      );
      await page.waitForTimeout(300);
      expect(await placesOf(page), view).to.deep.equal(before);
      await page.unrouteAll();
    }
  });

  it('gives a finding the same colour in the library, the search and the viewer', async () => {
    const { page } = await chromium.reader(service, '#/library');
    const hueAt = async (view: string, selector: string) => {
      await page.goto(`${service.url}/${view}`);
      const found = page.locator(selector).first();
      await found.waitFor();
      return /hue-\d/.exec((await found.getAttribute('class')) ?? '')?.[0];
    };
    const hues = [
      await hueAt('#/library', '.facets a:has-text("Faces") .dot'),
      await hueAt('#/library', '.tile:has-text("astronaut") .chip'),
      await hueAt('#/jobs', 'tr:has-text("astronaut") .chip'),
      await hueAt('#/search', '.facets a:has-text("Faces") .dot'),
      await hueAt('#/search?type=FACE', 'ul.hits .chip'),
      await hueAt(places.image, '.found-group'),
      await hueAt(places.image, '.tracks li'),
    ];
    expect(hues[0]).to.match(/^hue-\d$/);
    expect(new Set(hues).size, hues.join(', ')).to.equal(1);
  });

  it('has one row of a header and a menu of its views on a phone', async () => {
    const { page } = await chromium.reader(service, '#/library', { size: PHONE });
    await page.locator('a.tile').first().waitFor();
    expect((await page.locator('header.top').boundingBox())!.height).to.be.at.most(60);
    const links = page.locator('.menu.views a');
    expect(await page.getByRole('navigation', { name: 'Views' }).isVisible()).to.equal(false);
    await page.getByLabel('Menu').click();
    await links.filter({ hasText: 'System' }).click();
    for (const name of ['Nodes', 'Components', 'Overview']) {
      await page.getByRole('navigation', { name: 'System' }).getByRole('link', { name }).click();
      await page.locator('.tabs a[aria-current=page]', { hasText: name }).waitFor();
    }
  });

  it('uses the room of a 4K screen, in letters that can be read', async () => {
    const { page } = await chromium.reader(service, '#/library', { size: LARGE });
    for (const [view, shows] of pictured()) {
      await page.goto('about:blank');
      await page.goto(`${service.url}/${view}`);
      await page.locator(shows).first().waitFor();
      const { size, wide, used } = await page.evaluate<Record<'size' | 'wide' | 'used', number>>(
        `({ size: parseFloat(getComputedStyle(document.querySelector('main')).fontSize), wide: document.documentElement.scrollWidth,
          used: document.querySelector('main').getBoundingClientRect().width })`,
      );
      expect(size, view).to.be.at.least(22);
      expect(wide, view).to.be.at.most(LARGE.width);
      expect(used, view).to.be.at.least(LARGE.width * 0.7);
    }
  });

  it('draws each track in its own colour, with labels that can be read and cover no other', async () => {
    for (const size of [PHONE, { width: 1_400, height: 900 }]) {
      const { page } = await chromium.reader(service, places.crowd, { size });
      await page.locator('svg.boxes[data-known="true"] text').first().waitFor({ state: 'attached' });
      const hues = await page.locator('svg.boxes path[class^="hue-"]').count();
      expect(hues, 'colours of people').to.be.above(3);
      const labels = await until(
        'the labels fit the picture',
        () => rectsOf(page, 'svg.boxes g > rect'),
        (rects) => rects.length > 0 && rects.every(({ height }) => height >= 12),
      );
      for (const [n, one] of labels.entries())
        for (const other of labels.slice(n + 1)) expect(areApart(one, other), 'two labels').to.equal(true);
    }
  });

  it('shows media in the viewer as large as the window allows', async () => {
    const { page } = await chromium.reader(service, places.video, { size: { width: 1_400, height: 900 } });
    await page.locator('svg.boxes[data-known="true"]').waitFor({ state: 'attached' });
    const { width } = (await page.locator('.picture').boundingBox())!;
    expect(width).to.be.at.least(0.6 * 1_400);
  });
});

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const rectsOf = (page: Page, selector: string) =>
  page.evaluate<readonly Rect[]>(
    `[...document.querySelectorAll('${selector}')].map((element) => element.getBoundingClientRect().toJSON())`,
  );

const areApart = (a: Rect, b: Rect): boolean =>
  a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

const hasVideo = (page: Page) => page.evaluate<boolean>(`document.querySelector('main video') !== null`);

/** Positions of the parts of a view, with their names. */
const placesOf = (page: Page) =>
  page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('main :is(h1, h2, a, li, tr, button, .chip, .shot, .picture, .lanes)')].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return [element.tagName, element.className, ...[x, y, width, height].map(Math.round)].join(' ');
    })`,
  );
