/** The video viewer in a real browser: frequent tasks. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { makeVideo } from '../../media/support/make-video.ts';
import type { Chromium } from '../../support/browser/chromium.ts';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { videoThatBreaksOff } from '../broken-video-suite.ts';
import { boxesOnTheirFrame } from '../frame-truth-suite.ts';

/** Tests of the viewer of `at`. */
export function viewerOfVideos(at: () => { readonly service: Service; readonly chromium: Chromium }): void {
  it('shows the picture under the pointer, loads one at a time, and ends with the last place', async () => {
    const { service, chromium } = at();
    const path = join(service.mediaDir, 'pointer.mp4');
    makeVideo(path, { frames: 100 });
    const job = await service.submit({
      media: [pathToFileURL(path).href],
      pipelineName: 'LIGHT PIPELINE',
    });
    await service.terminal(job);
    const { page, complaints } = await chromium.reader(
      service,
      `#/jobs/${job}/${await service.placeOf(job)}`,
    );
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
    // When the first picture is loaded, the video has its final size, and the elements below it their final
    // position.
    await page.locator('svg.boxes[data-frame="0"][data-known="true"]').waitFor({ state: 'attached' });
    await until('the video has a picture', () =>
      page.evaluate(`document.querySelector('video')?.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA`),
    );
    const timeline = (await page.locator('.lanes .bars svg').boundingBox())!;
    const over = (part: number) => page.mouse.move(timeline.x + part * timeline.width, timeline.y + 8);
    for (let n = 0; n <= 20; n++) await over(0.1 + n / 25);
    const picture = page.locator('.preview img');
    const { runs } = (await service.ask('GET', `/rest/jobs/${job}/${await service.placeOf(job)}/frames`))
      .body as {
      runs: number[][];
    };
    const frames = runs.reduce((sum, [, , count = 0]) => sum + count, 0);
    await until(
      'the last place is shown',
      async () => Number(/frames\/(\d+)\.jpg/.exec((await picture.getAttribute('src')) ?? '')?.[1]) / frames,
      (part) => Math.abs(part - 0.9) < 0.05,
    );
    expect([most, asked.length < 21]).to.deep.equal([1, true]);
    await page.mouse.move(5, 5);
    await picture.waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
  });

  it('opens a chart whose clicks seek, the numbers of it, and a heat map over the picture', async () => {
    const { service, chromium } = at();
    const path = join(service.mediaDir, 'chart.mp4');
    makeVideo(path, { frames: 100 });
    const job = await service.submit({ media: [pathToFileURL(path).href], pipelineName: 'LIGHT PIPELINE' });
    await service.terminal(job);
    const { page, complaints } = await chromium.reader(
      service,
      `#/jobs/${job}/${await service.placeOf(job)}`,
    );
    await page.locator('svg.boxes[data-frame="0"][data-known="true"]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Heat map' }).click();
    await page.locator('svg.boxes .heat rect').first().waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Chart' }).click();
    const chart = page.getByRole('region', { name: 'Findings over time' });
    await chart.locator('canvas').waitFor();
    await chart.getByText('Numbers').click();
    expect(await chart.getByRole('row').count()).to.be.above(1);
    const area = (await chart.locator('.u-over').boundingBox())!;
    await page.mouse.click(area.x + area.width / 2, area.y + area.height / 2);
    await until(
      'the video is in its middle',
      () =>
        page.evaluate(
          `document.querySelector('video').currentTime / document.querySelector('video').duration`,
        ),
      (part) => Math.abs(Number(part) - 0.5) < 0.1,
    );
    await page.getByRole('button', { name: 'Heat map' }).click();
    await page.locator('svg.boxes .heat').waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
  });

  it('compares two jobs of one medium: dashed boxes, and how many of each class both have found', async () => {
    const { service, chromium } = at();
    const path = join(service.mediaDir, 'compare.mp4');
    makeVideo(path, { frames: 30 });
    const submit = (jobProperties = {}) =>
      service.submit({ media: [pathToFileURL(path).href], pipelineName: 'LIGHT PIPELINE', jobProperties });
    const [job, other] = [await submit(), await submit({ FRAME_INTERVAL: '2' })];
    await Promise.all([service.terminal(job), service.terminal(other)]);
    const { page, complaints } = await chromium.reader(
      service,
      `#/jobs/${job}/${await service.placeOf(job)}`,
    );
    await page.locator('svg.boxes[data-frame="0"][data-known="true"]').waitFor({ state: 'attached' });
    expect(await page.locator('svg.boxes path.compared').count()).to.equal(0);
    await page.getByRole('button', { name: 'Compare' }).click();
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.getByRole('combobox').selectOption(other);
    await page.locator('svg.boxes path.compared').waitFor({ state: 'attached' });
    const counts = await comparison.locator('table').first().locator('tbody td').allInnerTexts();
    expect(counts.length % 2).to.equal(0);
    expect(counts).to.have.length.above(0);
    // Half of the frames were processed, with the same results.
    await comparison.getByRole('heading', { name: 'Agreement of boxes' }).waitFor();
    const shares = await comparison.locator('table').nth(1).locator('tbody td').allInnerTexts();
    expect(shares).to.deep.equal(['100.0 %', '50.0 %', '66.7 %', '100.0 %']);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('svg.boxes path.compared').waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
  });

  it('shows a video whose codec the browser lacks frame by frame, and says why', async () => {
    const { service, chromium } = at();
    const job = await service.submit({
      media: [sampleUri('mp4v_aac.mp4')],
      pipelineName: 'LIGHT PIPELINE',
    });
    await service.terminal(job);
    const { page } = await chromium.reader(service, `#/jobs/${job}/${await service.placeOf(job)}`);
    await page.getByText(/^This browser .* Single frames are shown/).waitFor();
    const frame = page.locator('.picture img');
    await until('the first frame is shown', () =>
      frame.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0),
    );
    const before = await frame.getAttribute('src');
    await page.keyboard.press('.');
    await until('the next frame is shown', async () => (await frame.getAttribute('src')) !== before);
  });

  describe('of one that breaks off', () => videoThatBreaksOff(at, { isLong: false }));
  describe('draws boxes that', () => boxesOnTheirFrame(at, ['variable.mp4']));
}
