/** Findings similar to a part of a picture that no job could read again: of a recorded camera, and in a document. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { sharp } from '../../../media/picture/sharp.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { rtsp } from '../../media/live/live-watching.ts';
import { serviceWithCameras, WAIT } from '../../streaming/cameras-support.ts';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { accessUnits } from '../../support/media/coded-media.ts';
import { thumbnailModel } from '../../support/media/onnx-model.ts';
import { FIRST_STREAM, pdfOf } from '../../support/media/pdf.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const IN_PICTURES = 'FACES IN PICTURES';
const FACES_OF_DOCUMENTS = {
  pipeline: ['DOCUMENT IMAGES DETECTION TASK', IN_PICTURES],
  tasks: [{ name: IN_PICTURES, actions: [IN_PICTURES] }],
  actions: [
    {
      ...{ name: IN_PICTURES, algorithm: 'FACE' },
      properties: [{ name: 'DERIVATIVE_MEDIA_ONLY', value: 'TRUE' }],
    },
  ],
};

interface Hit {
  readonly jobId: string;
  readonly frame: number | null;
  readonly startOffsetFrame: number;
}

(hasChromium ? describe : describe.skip)('Findings similar to a picture without an address', function () {
  this.timeout(240_000);
  const cameras = serviceWithCameras((env) => Service.here({ ...env, LEASE_MS: '120000' }));
  let chromium: Chromium;
  before(async () => {
    chromium = await Chromium.start();
    const service = cameras.service();
    mkdirSync(join(service.dataDir, 'models'), { recursive: true });
    writeFileSync(join(service.dataDir, 'models', 'thumbnail.onnx'), thumbnailModel(6));
    const job = await service.submit({
      media: [sampleUri('coffee.png')],
      pipelineName: 'ONNX DETECTION PIPELINE',
      jobProperties: { MODEL_NAME: 'thumbnail' },
    });
    await service.terminal(job, 120_000);
    await hitsOf(`job=${job}`);
  });
  after(() => chromium?.close());
  afterEach(cameras.clear);

  const hitsOf = (query: string): Promise<readonly Hit[]> =>
    until(
      'the search has hits',
      async () =>
        ((await cameras.service().ask('GET', `/rest/search?${query}`)).body as { hits: readonly Hit[] }).hits,
      ({ length }) => length > 0,
      WAIT,
    );

  const watchFace = async (more: object): Promise<number> => {
    const { url } = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ speed: 0.5 }));
    return cameras.submit(url, {
      ...{ pipelineName: 'FACE DETECTION PIPELINE', jobProperties: { FRAME_INTERVAL: '3' } },
      stream: { streamUri: url, segmentSize: 20, ...more },
    });
  };
  /** Follows the link of a hit, and returns the page and the compared part. */
  const compare = async (query: string) => {
    const { page, complaints } = await chromium.reader(cameras.service(), `#/search?${query}`);
    await page.locator('ul.hits li').first().getByRole('link', { name: 'Similar' }).click();
    const compared = page.getByLabel('Compared with').getByRole('link', { name: /^Part of / });
    await compared.waitFor();
    await page.locator('ul.hits:not(.like) li').filter({ hasText: 'coffee.png' }).waitFor();
    expect(complaints).to.deep.equal([]);
    return { page, compared, complaints };
  };

  it('are one press away from a finding of a recorded camera, and the part leads to its time', async () => {
    const service = cameras.service();
    const id = await watchFace({ recording: { days: 1 } });
    const [{ frame, startOffsetFrame }] = (await hitsOf(`camera=${id}`)) as [Hit];
    const at = `/rest/streaming/jobs/${id}/recordings/snapshot.jpg?frame=${frame ?? startOffsetFrame}`;
    await until('the frame is recorded', async () => (await service.ask('GET', at)).status === 200);
    const { page, compared } = await compare(`camera=${id}`);
    expect(await compared.textContent()).to.match(/^Part of the camera picture, Today/);
    const shown = await compared.locator('svg').getAttribute('viewBox');
    expect(shown).to.match(/^\d/);
    expect(await violationsOf(page, 'similar to a part of a camera picture')).to.deep.equal([]);
    await page.reload();
    await page.locator('ul.hits:not(.like) li').filter({ hasText: 'coffee.png' }).waitFor();
    await compared.click();
    await page.waitForURL(new RegExp(`#/streams/${id}\\?at=\\d+$`));
  });

  it('are not offered for a finding of a camera without recordings', async () => {
    const id = await watchFace({});
    await hitsOf(`camera=${id}`);
    const { page } = await chromium.reader(cameras.service(), `#/search?camera=${id}`);
    const hit = page.locator('ul.hits li').first();
    await hit.locator('.snippet.alone').waitFor();
    expect(await hit.getByRole('link', { name: 'Similar' }).count()).to.equal(0);
  });

  it('are one press away from a face in a picture of a PDF, in the search and in the viewer', async () => {
    const service = cameras.service();
    const file = join(service.mediaDir, 'portrait.pdf');
    writeFileSync(file, await pdfWithPhotograph());
    const job = await service.submit({
      media: [pathToFileURL(file).href],
      pipelineDefinition: FACES_OF_DOCUMENTS,
    });
    await service.terminal(job, 120_000);
    await hitsOf(`job=${job}&type=FACE`);
    const { page, compared, complaints } = await compare(`inJob=${job}&type=FACE`);
    await compared.click();
    await page.locator('.tracks li button').first().click();
    await page.locator('.tracks').getByRole('link', { name: 'Similar' }).click();
    await page.getByRole('heading', { name: 'Similar findings' }).waitFor();
    await page.locator('ul.hits:not(.like) li').filter({ hasText: 'coffee.png' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });
});

/** A PDF with the picture of the astronaut. */
async function pdfWithPhotograph(): Promise<Buffer> {
  const { data, info } = await sharp(sample('astronaut.png')).removeAlpha().jpeg().toBuffer({ resolveWithObject: true }); // oxfmt-ignore
  const head = `/Type /XObject /Subtype /Image /Width ${info.width} /Height ${info.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`;
  const page = { content: 'q 400 0 0 400 50 300 cm /Shown Do Q', pictures: { Shown: FIRST_STREAM } };
  return pdfOf([page], [{ head, data }]);
}
