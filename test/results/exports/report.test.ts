/** Reports in a real browser without network access and scripts. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import type { Page } from 'playwright-core';
import type { PictureSource } from '../../../results/exports/asked-pictures.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { temporaryFolder } from '../folder.ts';
import { exportBytes } from './generated-documents.ts';

const TRICK = '<img src=x onerror="document.title=1"><script>document.title=2</script>&"\'';

describe('A report of a job', () => {
  const inFolder = temporaryFolder();
  let chromium: Chromium | undefined;
  let jpeg: Uint8Array<ArrayBuffer>;
  before(async function () {
    if (!hasChromium) return this.skip();
    chromium = await Chromium.start();
    const create = { width: 64, height: 48, channels: 3, background: { r: 200, g: 30, b: 30 } } as const;
    jpeg = new Uint8Array(await sharp({ create }).jpeg().toBuffer());
  });
  after(() => chromium?.close());

  const detection = (offsetFrame: number, confidence = 0.75) => ({
    ...{ offsetFrame, offsetTime: offsetFrame * 40, x: 64, y: 48, width: 128, height: 96, confidence },
    ...{ detectionProperties: {}, artifactPath: null },
  });
  const track = (index: number, name: string, frames: readonly number[], more: object = {}) => {
    const detections = frames.map((frame) => detection(frame));
    return {
      ...{ id: `t${index}`, index, type: 'CLASS', confidence: 0.9, exemplar: detections[0], detections },
      startOffsetTime: frames[0]! * 40,
      stopOffsetTime: frames.at(-1)! * 40,
      trackProperties: { CLASSIFICATION: name, ...more },
    };
  };
  const video = (tracks: readonly object[], path = 'file:///a/street.mp4', mediaId = 31) => ({
    ...{ mediaId, path, mediaType: 'VIDEO', mimeType: 'video/mp4', length: 250, status: 'COMPLETE' },
    mediaMetadata: { FRAME_WIDTH: '640', FRAME_HEIGHT: '480', DURATION: '10000' },
    output: { CLASS: [{ source: 'A', algorithm: 'F', tracks }] },
  });
  const document = (media: readonly object[], errors: readonly object[] = []) => ({
    ...{ jobId: 'host-7', pipeline: { name: 'OBJECTS', tasks: [] }, status: 'COMPLETE', media, errors },
    warnings: [],
  });
  const pictures: PictureSource = (wanted) =>
    Promise.resolve('mediaId' in wanted && wanted.mediaId === 31 ? jpeg : undefined);

  async function show(of: object, source: PictureSource = pictures) {
    const html = await exportBytes(
      of,
      { format: 'html', file: inFolder('document.json') },
      { pictures: source },
    );
    const path = inFolder('report.html');
    writeFileSync(path, html);
    const opened = await chromium!.offline(pathToFileURL(path).href);
    return { ...opened, bytes: html.length };
  }
  const rowOf = (page: Page, name: string) =>
    page
      .locator('tr')
      .filter({ has: page.locator('td', { hasText: name }) })
      .first();

  it('has findings by class, timelines, pictures, texts and failures, and loads nothing', async () => {
    const errors = [{ mediaId: 31, details: [{ source: 'A', code: 'OOPS', message: 'It broke.' }] }];
    const tracks = [
      track(0, 'car', [0, 1, 2]),
      track(1, 'car', [100, 101]),
      track(2, 'bus', [200], { TEXT: 'LINE 4' }),
    ];
    const { page, complaints, requests } = await show(document([video(tracks)], errors));
    expect(await page.locator('h1').textContent()).to.equal('host-7');
    const cells = await rowOf(page, 'car (CLASS)').locator('td').allTextContents();
    expect(cells.slice(0, 4)).to.deep.equal(['car (CLASS)', '2', '5', '0:00 to 0:04']);
    expect(await rowOf(page, 'car (CLASS)').locator('.timeline rect').count()).to.be.above(1);
    await page.getByText('It broke.').waitFor();
    await page.getByText('LINE 4').waitFor();
    // The page contains each frame once. A crop shows a part of it.
    expect(await page.locator('image').count()).to.equal(3);
    const crop = page.getByRole('img', { name: 'bus (CLASS) at 0:08' });
    expect(await crop.getAttribute('viewBox')).to.equal('64 48 128 96');
    const shown = sharp(await crop.screenshot());
    const { dominant } = await shown.stats();
    expect(dominant.r, 'the picture is drawn').to.be.above(150);
    expect(dominant.g).to.be.below(80);
    expect(complaints).to.deep.equal([]);
    expect(requests).to.deep.equal([pathToFileURL(inFolder('report.html')).href]);
  });

  it('shows names with markup as text, and cuts names of 4 kB', async () => {
    const long = 'x'.repeat(4_000);
    const media = [video([track(0, TRICK, [0]), track(1, long, [3])], `file:///a/${TRICK}`)];
    const errors = [{ mediaId: 31, details: [{ source: 'A', code: 'OOPS', message: TRICK }] }];
    const { page, complaints } = await show(document(media, errors));
    await rowOf(page, `${TRICK} (CLASS)`).waitFor();
    expect(await page.title()).to.equal('Report of host-7');
    expect(await page.locator('script, img[src="x"]').count()).to.equal(0);
    expect(await page.locator('body').textContent()).to.not.include('x'.repeat(400));
    expect(complaints).to.deep.equal([]);
  });

  it('says that nothing was found, and goes without the pictures of a medium that is gone', async () => {
    const media = [video([]), video([track(0, 'car', [0])], 'file:///gone.mp4', 32)];
    const { page } = await show(document(media));
    await page.getByText('Nothing was found.').waitFor();
    await rowOf(page, 'car (CLASS)').waitFor();
    await page.getByText('Some pictures are missing').waitFor();
    expect(await page.locator('image, img').count()).to.equal(0);
  });

  it('stays small for thousands of classes and media', async () => {
    const tracks = Array.from({ length: 2_000 }, (_, n) => track(n, `class ${n}`, [n % 250]));
    const media = Array.from({ length: 200 }, (_, n) =>
      video(n === 0 ? tracks : [], `file:///${n}.mp4`, 31 + n),
    );
    const { page, bytes } = await show(document(media));
    expect(bytes).to.be.below(1_000_000);
    await page.getByText('1,960 tracks of other classes.').waitFor();
    await page.getByText('150 other media are not listed.').waitFor();
  });

  it('is readable on paper', async () => {
    const { page } = await show(document([video([track(0, 'car', [0])])]));
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const [text, back] = await page.evaluate<[string, string]>(
      '[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]',
    );
    expect([text, back]).to.deep.equal(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
  });
});
