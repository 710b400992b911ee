/** The page of a camera with two detectors: it shows the results of both. */
import { expect } from 'chai';
import { sharp } from '../../../media/picture/sharp.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { rtsp } from '../../media/live/live-watching.ts';
import { serviceWithCameras } from '../../streaming/cameras-support.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { accessUnits, jpegOf } from '../../support/media/coded-media.ts';
import { jpegOver } from '../../support/media/rtp-pictures.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const [WIDTH, HEIGHT] = [640, 424];
/** Several minutes, because a busy machine starts slowly. */
const [FRAMES, FRAME_MS] = [600, 400];
/** Minimum difference of a colour channel between a drawn line and the picture. */
const CLEARLY = 40;

interface Seen {
  readonly event: string;
  readonly class: string;
  readonly box: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;
}

/** A repeated photo of people. */
async function people() {
  const pixels = await sharp(sample('race.jpg'))
    .resize(WIDTH, HEIGHT, { fit: 'cover' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  const data = jpegOf(pixels, WIDTH, HEIGHT);
  const pictures = Array.from({ length: FRAMES }, (_, n) => ({ dueMs: n * FRAME_MS, data }));
  return { pixels, pictures: jpegOver(pictures) };
}

/** Pixels of the picture on the page, row by row. */
const SHOWN = `(() => {
  const image = document.querySelector('figure.live img');
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext('2d');
  canvas.drawImage(image, 0, 0);
  return [...canvas.getImageData(0, 0, image.naturalWidth, image.naturalHeight).data];
})()`;

/** Share of the rows in which both sides of the box are drawn. */
function drawnShare(
  shown: readonly number[],
  pixels: Uint8Array,
  { x, y, width, height }: Seen['box'],
): number {
  const rows = Array.from({ length: Math.floor(height) }, (_, n) => Math.floor(y) + n).filter(
    (row) => row >= 0 && row < HEIGHT,
  );
  const isDrawn = (column: number, row: number) =>
    [0, 1, 2].some(
      (c) =>
        Math.abs(shown[(row * WIDTH + column) * 4 + c]! - pixels[(row * WIDTH + column) * 3 + c]!) > CLEARLY,
    );
  const near = (side: number, row: number) =>
    [-2, -1, 0, 1, 2].some(
      (by) => side + by >= 0 && side + by < WIDTH && isDrawn(Math.floor(side) + by, row),
    );
  const found = rows.filter((row) => near(x, row) && near(x + width, row));
  return found.length / Math.max(1, rows.length);
}

(hasChromium ? describe : describe.skip)('A camera with two detectors on its page', function () {
  this.timeout(240_000);
  const cameras = serviceWithCameras((env) => Service.here(env));
  let chromium: Chromium;
  before(async () => {
    chromium = await Chromium.start();
  });
  after(() => chromium?.close());
  afterEach(cameras.clear);

  it('shows the boxes, the events and the counts of both', async () => {
    const { pixels, pictures } = await people();
    const camera = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ ...pictures, speed: 1 }));
    const id = await cameras.submit(camera.url, {
      pipelineName: 'PERSON THEN FACE DETECTION PIPELINE',
      jobProperties: { FRAME_INTERVAL: '1' },
      zones: [{ name: 'picture', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }], // oxfmt-ignore
    });
    const { page, complaints } = await chromium.reader(cameras.service(), `#/streams/${id}`);
    const events = page.getByRole('list', { name: 'Events' });
    await events.getByText('Person entered picture').first().waitFor({ timeout: 90_000 });
    await events.getByText('Face entered picture').first().waitFor({ timeout: 90_000 });
    const seen = await until(
      'both have entered',
      async () => {
        const { body } = await cameras
          .service()
          .ask('GET', `/rest/streaming/jobs/${id}/zone-events?limit=100`);
        return (body as { events: readonly Seen[] }).events.filter(({ event }) => event === 'entered');
      },
      (all) => new Set(all.map((one) => one.class)).size > 1,
    );
    await until(
      'the zone has tracks of both',
      () => page.locator('.zone-name').textContent(),
      (inside) => Number(/ · (\d+)$/.exec(inside ?? '')?.[1]) > 1,
    );
    await page.locator('figure.live img').waitFor({ timeout: 60_000 });
    const shown = await page.evaluate<readonly number[]>(SHOWN);
    expect(shown).to.have.length(WIDTH * HEIGHT * 4);
    const best = (kind: string) =>
      Math.max(...seen.filter((one) => one.class === kind).map(({ box }) => drawnShare(shown, pixels, box)));
    for (const kind of new Set(seen.map((one) => one.class))) expect(best(kind), kind).to.be.greaterThan(0.6);
    const { body } = await cameras.service().ask('GET', `/rest/streaming/jobs/${id}/counts`);
    const [hour] = (body as { hours: readonly { classes: Readonly<Record<string, number>> }[] }).hours;
    expect(hour!.classes).to.include.keys('PERSON', 'FACE');
    expect(complaints).to.deep.equal([]);
  });
});
