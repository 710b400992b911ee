/** The viewer of a medium in a real browser. */
import { expect } from 'chai';
import { Chromium, hasChromium } from '../support/chromium.ts';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { videoThatBreaksOff } from './broken-video-suite.ts';
import { boxesOnTheirFrame, SHOWN } from './frame-truth-suite.ts';

(hasChromium ? describe : describe.skip)('The viewer of a video', function () {
  this.timeout(240_000 + SHOWN * 200);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.shared();
    chromium = await Chromium.started();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  it('shows the picture of the place under the pointer, asks for one at a time, and ends with the last place', async () => {
    const job = await service.submit({
      media: [sampleUri('face_move.mp4')],
      pipelineName: 'LIGHT PIPELINE',
    });
    await service.terminal(job);
    const { page, complaints } = await chromium.reader(service, `#/jobs/${job}/media/0`);
    let [underWay, most] = [0, 0];
    const asked: string[] = [];
    const isStill = (url: string) => url.includes('/frames/');
    page.on('request', (request) => {
      if (!isStill(request.url())) return;
      asked.push(request.url());
      most = Math.max(most, ++underWay);
    });
    page.on('requestfinished', (request) => isStill(request.url()) && underWay--);
    page.on('requestfailed', (request) => isStill(request.url()) && underWay--);
    // With its first picture the video has its size, and all below it its place.
    await page.locator('svg.boxes[data-frame="0"][data-known="true"]').waitFor({ state: 'attached' });
    await until('the video has a picture', () =>
      page.evaluate(`document.querySelector('video')?.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA`),
    );
    const timeline = (await page.locator('.lanes .bars svg').boundingBox())!;
    const over = (part: number) => page.mouse.move(timeline.x + part * timeline.width, timeline.y + 8);
    for (let n = 0; n <= 40; n++) await over(0.1 + n / 50);
    const picture = page.locator('.preview img');
    const { runs } = (await service.ask('GET', `/rest/jobs/${job}/media/0/frames`)).body as {
      runs: number[][];
    };
    const frames = runs.reduce((sum, [, , count = 0]) => sum + count, 0);
    await until(
      'the last place is shown',
      async () => Number(/frames\/(\d+)\.jpg/.exec((await picture.getAttribute('src')) ?? '')?.[1]) / frames,
      (part) => Math.abs(part - 0.9) < 0.05,
    );
    expect([most, asked.length < 41]).to.deep.equal([1, true]);
    await page.mouse.move(5, 5);
    await picture.waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
  });

  describe('that breaks off', () => videoThatBreaksOff(() => ({ service, chromium })));
  describe('draws boxes that', () => boxesOnTheirFrame(() => ({ service, chromium })));
});
