/** Texts of the page: names of pipelines, empty lists, and unavailable actions. */
import { expect } from 'chai';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

(hasChromium ? describe : describe.skip)('The words of the page', function () {
  this.timeout(240_000);
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

  it('tell the next step in every list that is empty', async () => {
    const { page, complaints } = await chromium.reader(service, '');
    const start = page.getByRole('button', { name: 'Choose files' });
    for (const view of ['library', 'jobs']) {
      await page.goto(`${service.url}/#/${view}`);
      await start.waitFor();
      const samples = page.locator('.empty.first .card');
      expect(await samples.allTextContents()).to.deep.equal([
        ...['Faces in a video', 'Things in a photo', 'Text in a picture', 'Connect a camera'],
      ]);
    }
    await page.goto(`${service.url}/#/search`);
    await page.getByRole('link', { name: 'Start an analysis' }).waitFor();
    await page.goto(`${service.url}/#/streams`);
    await page.getByText('No camera is connected. Enter the address of a camera above.').waitFor();
    expect(await page.getByLabel('Camera address').isVisible()).to.equal(true);
    await page.goto(`${service.url}/#/people`);
    await page.getByRole('heading', { name: 'Nobody yet' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('tell the next step where a search has no pipeline, and where there is no component or node', async () => {
    const { page } = await chromium.reader(service, '#/pipelines');
    const cards = page.locator('.pipelines .card');
    await cards.first().waitFor();
    const all = await cards.count();
    await page.getByLabel('Find a pipeline').fill('zeppelin');
    await page.getByRole('heading', { name: 'No pipeline contains these words' }).waitFor();
    await page.getByRole('link', { name: 'make a new one' }).waitFor();
    expect(await violationsOf(page, 'no pipeline')).to.deep.equal([]);
    await page.getByRole('button', { name: 'Show all pipelines' }).click();
    await cards.first().waitFor();
    expect(await cards.count()).to.equal(all);
    await page.route('**/rest/components', (route) => route.fulfill({ json: [] }));
    await page.goto(`${service.url}/#/components`);
    await page.getByText('No component is registered.').waitFor();
    await page.route('**/rest/nodes/config', (route) => route.fulfill({ json: [] }));
    await page.route('**/rest/nodes/info', (route) => route.fulfill({ json: { nodeModels: [] } }));
    await page.route('**/rest/nodes/hosts', (route) => route.abort());
    await page.goto(`${service.url}/#/nodes`);
    await page.getByText('No node has services.').waitFor();
    const problem = page.getByRole('alert');
    await problem.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/rest/nodes/hosts');
    await problem.getByRole('button', { name: 'Try again' }).click();
    await problem.waitFor({ state: 'detached' });
    await page.unrouteAll();
  });

  it('name each pipeline shortly, with an icon', async () => {
    const { page } = await chromium.reader(service, '#/pipelines');
    const cards = page.locator('.pipelines .card');
    await cards.first().waitFor();
    const titles = await cards.locator('strong').allTextContents();
    expect(titles.length).to.be.above(20);
    for (const title of titles) expect(title).to.match(/^[A-Z][a-z]|^(ONNX|OpenAI|KServe|[A-Z]+ )/);
    expect(titles.filter((title) => /PIPELINE|DETECTION/.test(title))).to.deep.equal([]);
    expect(await cards.locator('> svg.icon').count()).to.equal(titles.length);
  });

  it('say which goals need a model, and which model a pipeline misses', async () => {
    const { page } = await chromium.reader(service, '#/new');
    const goal = (name: RegExp) => page.getByRole('checkbox', { name });
    await page.getByText('Needs a Whisper model.').waitFor();
    expect(await goal(/^Transcript/).isDisabled()).to.equal(true);
    expect(await goal(/^Faces/).isDisabled()).to.equal(false);
    const add = page.getByRole('button', { name: 'Add', exact: true });
    await page.getByLabel(/^Link/).fill('rtsp://camera.example/live');
    await add.click();
    await page.getByText('This is a camera. Connect it under Live.').waitFor();
    await page.getByLabel(/^Link/).fill(sampleUri('digital-clock.jpg'));
    await add.click();
    await page.getByRole('button', { name: /^Choose a pipeline/ }).click();
    await page.getByLabel('Pipeline').selectOption('ONNX DETECTION PIPELINE');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByText('The MODEL_NAME property is not set').first().waitFor();
    expect(await page.getByText('Everything is ready.').count()).to.equal(0);
  });

  it('offer no second attempt for a job that does not exist', async () => {
    const { page } = await chromium.reader(service, '#/jobs/host-4711');
    await page.getByText('Job host-4711 does not exist, or was deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0);
  });

  describe('when there are jobs,', () => {
    it('name a job by its goal and its medium, and say when only some media failed', async () => {
      const job = await service.submit({
        media: [sampleUri('digital-clock.jpg'), sampleUri('video_01_invalid.mp4')],
        pipelineName: 'FACE DETECTION PIPELINE',
      });
      await service.terminal(job, 120_000);
      const { page } = await chromium.reader(service, `#/jobs/${job}`);
      await page.getByRole('heading', { name: /^Faces in 2 media/ }).waitFor();
      const status = page.locator('h1 .status');
      expect([await status.textContent(), await status.getAttribute('class')]).to.deep.equal([
        ...['Some media failed', 'status warn'],
      ]);
      await page.getByText('1 of 2 media').waitFor();
    });
  });
});
