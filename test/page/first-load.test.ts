/** Files that a browser loads before the page shows its first view. */
import { expect } from 'chai';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { Service } from '../support/processes/service.ts';

const MOST_BYTES = 150_000;

(hasChromium ? describe : describe.skip)('The first load of the page', function () {
  this.timeout(120_000);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  it('has at most 150 kB of scripts and style sheets, and loads other views when they are opened', async () => {
    const { page } = await chromium.reader(service, '#/library');
    await page.locator('.empty.first').waitFor();
    const loaded = () =>
      page.evaluate<readonly [string, number][]>(
        `performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)$/.test(name)).map(({ name, encodedBodySize }) => [name, encodedBodySize])`,
      );
    const first = await loaded();
    const isOfPipelines = ([name]: readonly [string, number]) => name.endsWith('/pipelines/list.js');
    expect(first.reduce((sum, [, size]) => sum + size, 0)).to.be.within(20_000, MOST_BYTES);
    expect(first.filter(isOfPipelines)).to.have.length(0);
    await page.getByRole('link', { name: 'Pipelines' }).click();
    await page.locator('.pipelines .card').first().waitFor();
    expect((await loaded()).filter(isOfPipelines)).to.have.length(1);
  });

  it('requests the session and the first media while its scripts are loading, and each only once', async () => {
    const { page } = await chromium.reader(service, '#/library?view=list');
    await page.goto('about:blank');
    const began = new Map<string, string[]>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/rest\/(?:session|library)$/.test(pathname))
        began.set(pathname, [...(began.get(pathname) ?? []), request.url()]);
    });
    for (const place of ['', '#/library', '#/library?view=list', '#/library?sort=name']) {
      await page.goto('about:blank');
      began.clear();
      await page.goto(`${service.url}/${place}`);
      await page.locator('.empty.first').waitFor();
      expect(
        [...began.values()].map(({ length }) => length),
        place,
      ).to.deep.equal([1, 1]);
    }
    await page.goto('about:blank');
    began.clear();
    await page.goto(`${service.url}/#/pipelines`);
    await page.locator('.pipelines .card').first().waitFor();
    expect([...began.keys()]).to.deep.equal(['/rest/session']);
    page.removeAllListeners('request');
  });
});
