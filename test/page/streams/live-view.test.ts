/** Live pictures of a camera on its page. */
import { expect } from 'chai';
import { accessUnits, type CodedClip } from '../../support/media/coded-media.ts';
import { rtsp } from '../../media/live/live-watching.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { serviceWithCameras } from '../../streaming/cameras-support.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

/** Several minutes, because a busy machine starts slowly. */
function longClip(): CodedClip {
  const clip = accessUnits(sample('face_move.mp4'));
  const units = Array.from({ length: 20 }, () => clip.units).flat();
  const paced = units.map((unit, n) => ({ ...unit, dueMs: n * clip.frameMs, ptsMs: n * clip.frameMs }));
  return { ...clip, units: paced };
}

const IMAGE = `document.querySelector('figure.live img')`;

(hasChromium ? describe : describe.skip)('The pictures of a camera on its page', function () {
  this.timeout(240_000);
  const cameras = serviceWithCameras((env) => Service.here(env));
  let chromium: Chromium;
  before(async () => {
    chromium = await Chromium.start();
  });
  after(() => chromium?.close());
  afterEach(cameras.clear);

  it('come with several tasks, too; only what can run is offered', async () => {
    const { url } = await rtsp(longClip(), () => ({ speed: 0.4, after: 'stall' }));
    const { page, complaints } = await chromium.reader(cameras.service(), '#/streams');
    await page.getByLabel('Camera address').fill(url);
    const choice = page.getByLabel('What to look for');
    await choice.locator('option').first().waitFor({ state: 'attached' });
    const offered = await choice.locator('option').allTextContents();
    expect(offered).to.include.members(['Faces', 'People and things', 'Motion then object detection']);
    expect(offered.filter((name) => /^(Own model|ONNX|KServe|Speech)/.test(name))).to.deep.equal([]);
    await choice.selectOption('MOTION THEN OBJECT DETECTION PIPELINE');
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByText(/^Motion then object detection · stream \d+$/).waitFor({ timeout: 60_000 });
    await page.locator('figure.live img').waitFor({ timeout: 60_000 });
    expect(complaints).to.deep.equal([]);
  });

  it('follow one another while the camera sends', async () => {
    const { url } = await rtsp(longClip(), () => ({ speed: 0.4, after: 'stall' }));
    const id = await cameras.submit(url, {
      stream: { streamUri: url, segmentSize: 20, recording: { days: 1 } },
      jobProperties: { FRAME_INTERVAL: '1' },
    });
    const { page, complaints } = await chromium.reader(cameras.service(), `#/streams/${id}`);
    const shown = new Set<string>();
    await until('several pictures are shown', async () => {
      shown.add(await page.evaluate<string>(`${IMAGE}?.src ?? ''`));
      return shown.size > 5;
    });
    const size = await page.evaluate<readonly number[]>(`[${IMAGE}.naturalWidth, ${IMAGE}.naturalHeight]`);
    expect(size).to.deep.equal([640, 360]);
    await page.getByRole('region', { name: 'Recording' }).getByRole('listitem').first().waitFor();
    expect(complaints).to.deep.equal([]);
  });
});
