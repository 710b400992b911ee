/** Media with very many detections in the viewer. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makeVideo } from '../media/support/make-video.ts';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { WHOLE, withCrowd, type Crowd } from '../support/browser/crowd.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const LONG_MS = 600_000;
/** Allowed memory growth after the page was opened, for viewed boxes and data of the browser. */
const MOST_GROWTH = 64 * 1024 * 1024;

(hasChromium ? describe : describe.skip)('The viewer', function () {
  this.timeout(LONG_MS);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.start();
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const jobWith = async (frames: number, crowd: Crowd): Promise<string> => {
    const path = join(service.mediaDir, `${frames}.mp4`);
    makeVideo(path, { frames });
    return withCrowd(service, 'ABSENT', crowd, async () => {
      const media = [pathToFileURL(path).href];
      const job = await service.submit({ media, pipelineName: 'ABSENT PIPELINE', jobProperties: WHOLE });
      expect((await service.terminal(job, LONG_MS)).jobStatus).to.equal('COMPLETE');
      return job;
    });
  };
  const boxesAt = (page: Page, frame: number) =>
    until(
      `the boxes of frame ${frame} are drawn`,
      () =>
        page.evaluate<number>(`(() => {
          const svg = document.querySelector('svg.boxes[data-known="true"][data-frame="${frame}"]');
          const outlines = [...svg?.querySelectorAll('path:not(.selected)') ?? []];
          return outlines.map((path) => path.getAttribute('d')).join('').split('M').length - 1;
        })()`),
      (drawn) => drawn > 0,
    );

  it('draws ten thousand boxes on one frame, steps on, chooses one and narrows them', async () => {
    const job = await jobWith(60, { tracks: 10_000, length: 5, startOf: () => 20 });
    const { page, complaints } = await chromium.reader(
      service,
      `#/jobs/${job}/${await service.placeOf(job)}?t=800`,
    );
    expect(await boxesAt(page, 20)).to.equal(10_000);
    await page.getByText('The first 200 of 10,000 findings').waitFor();
    for (const frame of [21, 22, 23]) {
      await page.keyboard.press('.');
      expect(await boxesAt(page, frame)).to.equal(10_000);
    }
    await page.keyboard.press('j');
    await page.locator('svg.boxes path.selected').waitFor({ state: 'attached' });
    await page.getByLabel('Text or class').fill('thing 3');
    await page.getByText('The first 200 of 1,000 findings').waitFor();
    await page.getByRole('checkbox', { name: /Absent/ }).uncheck();
    await until('no box is drawn', async () => (await page.locator('svg.boxes path').count()) === 0);
    expect(complaints).to.deep.equal([]);
  });

  it('shows a document of a million detections, and holds only those around the current place', async () => {
    const [frames, length] = [10_000, 100];
    const job = await jobWith(frames, {
      tracks: 10_000,
      length,
      startOf: (track) => Math.floor((track / 10_000) * (frames - length)),
    });
    const { page, complaints } = await chromium.reader(
      service,
      `#/jobs/${job}/${await service.placeOf(job)}`,
    );
    await boxesAt(page, 0);
    const session = await page.context().newCDPSession(page);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const before = await heap();
    const timeline = (await page.locator('.lanes .bars svg').boundingBox())!;
    for (let place = 1; place <= 60; place++) {
      const part = ((place * 37) % 61) / 61;
      await page.mouse.click(timeline.x + part * timeline.width, timeline.y + 5);
      const frame = await page.evaluate<number>(
        `Number(/frame (\\d+)/.exec(document.querySelector('.where').textContent)[1])`,
      );
      expect(await boxesAt(page, frame)).to.be.at.least(90);
    }
    expect((await heap()) - before, 'bytes').to.be.at.most(MOST_GROWTH);
    expect(complaints).to.deep.equal([]);
  });
});
