/** The page with unusual data and failures: very long names, and a server that restarts. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { MediaServer } from '../../support/servers/media-server.ts';
import { until } from '../../support/until.ts';

/** Four kilobytes with HTML markup. */
const LONG = `<b onclick=tricked=1>${'long name '.repeat(400)}`.slice(0, 4_000);
const NARROW = { width: 320, height: 640 };

(hasChromium ? describe : describe.skip)('The page, when something is wrong,', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  let server: MediaServer;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    server = await MediaServer.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
    await server.close();
  });

  const runJob = async (medium: string, pipelineName: string) => {
    const job = await service.submit({ media: [medium], pipelineName });
    await service.terminal(job, 120_000);
    return job;
  };

  it('shows a name of 4 kilobytes without moving a narrow screen sideways', async () => {
    const job = await runJob(server.picture(encodeURIComponent(LONG)), 'FACE DETECTION PIPELINE');
    await until(
      'the index has it',
      async () => (await service.ask('GET', '/rest/library')).body as { media: readonly unknown[] },
      ({ media }) => media.length === 1,
    );
    const place = await service.placeOf(job);
    const views = [
      'library',
      'library?view=list',
      'library?group=job',
      'jobs',
      `jobs/${job}`,
      `jobs/${job}/${place}`,
    ];
    for (const size of [NARROW, { width: 1_400, height: 900 }]) {
      const { page, complaints } = await chromium.reader(service, '#/library', { size });
      for (const view of views) {
        await page.goto(`${service.url}/#/${view}`);
        await page.locator('main').getByText('long name long name').first().waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth'), view).to.be.at.most(size.width);
        expect(await page.evaluate('window.tricked')).to.equal(undefined);
        const heading = await page.locator('main h1').first().boundingBox();
        expect(heading?.height ?? 0, view).to.be.at.most(160);
      }
      // The server keeps no copy of media from other hosts, so there is no thumbnail.
      expect(complaints.filter((one) => !one.includes('/frames/0.jpg'))).to.deep.equal([]);
    }
  });

  describe('while the server restarts,', () => {
    before(() => runJob(sampleUri('digital-clock.jpg'), 'LIGHT PIPELINE'));
    const restart = async (meanwhile: () => Promise<void>) => {
      const PORT = new URL(service.url).port;
      await service.stop();
      await meanwhile();
      await service.startHere({ PORT });
    };
    const openView = async (view: string, shows: string): Promise<Page> => {
      const { page } = await chromium.reader(service, `#/${view}`);
      await page.locator(shows).first().waitFor();
      return page;
    };
    /** Clicks the first "try again" button, if there is one. The page may remove it meanwhile. */
    const tryAgain = async (page: Page) => {
      const again = page.getByRole('button', { name: 'Try again' });
      if ((await again.count()) > 0)
        await again
          .first()
          .click({ timeout: 1_000 })
          .catch(() => undefined);
    };

    it('shows the library as it was, says why nothing new comes, and continues', async () => {
      const page = await openView('library', 'a.tile');
      await restart(async () => {
        await page.getByText('The connection is lost; last seen').waitFor();
        expect(await page.locator('a.tile').count()).to.be.above(0);
        await page.locator('.facets a').first().click();
        await page.getByRole('alert').getByText('The service cannot be reached.').first().waitFor();
      });
      await page.getByText('The connection is lost').waitFor({ state: 'detached' });
      await until('no problem is shown', async () => {
        await tryAgain(page);
        return (await page.getByRole('alert').count()) === 0;
      });
      await page.locator('.facets a[aria-current]').waitFor();
    });

    it('opens a view that it had not loaded yet, when it is asked again', async () => {
      const page = await openView('library', '.facets a');
      await restart(async () => {
        await page.getByRole('link', { name: 'Pipelines' }).click();
        await page.getByText('This view could not be loaded.').waitFor();
      });
      // A browser may cache the failed load of the module. Then the second attempt reloads the page.
      await until('the view is shown', async () => {
        await tryAgain(page);
        return (await page.locator('.pipelines .card').count()) > 0;
      });
    });

    it('plays a video on from where it was', async () => {
      const job = await runJob(sampleUri('face_move.mp4'), 'FACE DETECTION PIPELINE');
      const page = await openView(`jobs/${job}/${await service.placeOf(job)}`, '.tracks li');
      await page.locator('svg.boxes[data-known="true"]').waitFor({ state: 'attached' });
      await restart(async () => {
        await page.locator('.tracks li button').first().click();
      });
      await page.locator('svg.boxes path.selected').waitFor({ state: 'attached' });
      await page.locator('video').evaluate((video: { play(): Promise<void> }) => video.play());
      await until('it plays', () =>
        page.evaluate<boolean>(`document.querySelector('video').currentTime > 2.5`),
      );
    });

    it('keeps what was chosen for an analysis, and starts it afterwards', async () => {
      const page = await openView('new', '.goal');
      await page.getByLabel(/^Link/).fill(sampleUri('digital-clock.jpg'));
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('checkbox', { name: /^Faces/ }).check();
      const start = page.getByRole('button', { name: 'Start', exact: true });
      await restart(async () => {
        await start.click();
        await page.getByText('The service cannot be reached.').waitFor();
      });
      await start.click();
      await page.locator('h1 .status').waitFor();
      expect(page.url()).to.match(/#\/jobs\/[^/]+$/);
    });
  });
});
