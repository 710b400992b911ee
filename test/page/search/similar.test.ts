/** Search for similar tracks in a real browser, from a search result and from the viewer. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { writeModelPair } from '../../support/media/model-pair.ts';
import { thumbnailModel } from '../../support/media/onnx-model.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const PICTURES = ['red-car.jpg', 'yellow-car.jpg', 'coffee.png'];

(hasChromium ? describe : describe.skip)('Similar findings on the page', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  let jobId: string;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    mkdirSync(join(service.dataDir, 'models'), { recursive: true });
    writeFileSync(join(service.dataDir, 'models', 'thumbnail.onnx'), thumbnailModel(6));
    jobId = await service.submit({
      media: PICTURES.map(sampleUri),
      pipelineName: 'ONNX DETECTION PIPELINE',
      jobProperties: { MODEL_NAME: 'thumbnail' },
    });
    await service.terminal(jobId, 120_000);
    const faces = await service.submit({
      media: [sampleUri('astronaut.png')],
      pipelineName: 'FACE DETECTION PIPELINE',
    });
    await service.terminal(faces, 120_000);
    await until(
      'the index has all media',
      async () => (await service.ask('GET', '/rest/library')).body as { media: readonly unknown[] },
      ({ media }) => media.length === PICTURES.length + 1,
    );
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  it('are one press away from a hit with a vector, and from no other without a model for crops', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search');
    await page.route('**/rest/search/models', (route) =>
      route.fulfill({ json: { models: [], complete: true } }),
    );
    await page.reload();
    const hits = page.locator('ul.hits li');
    await hits.filter({ hasText: 'astronaut.png' }).waitFor();
    expect(await hits.getByRole('link', { name: 'Similar' }).count()).to.equal(PICTURES.length);
    await page.unrouteAll();
    await hits.filter({ hasText: 'coffee.png' }).getByRole('link', { name: 'Similar' }).click();
    await page.getByRole('heading', { name: 'Similar findings' }).waitFor();
    await page.getByLabel('Compared with').filter({ hasText: 'coffee.png' }).waitFor();
    const similar = page.locator('ul.hits:not(.like) li');
    expect(await similar.count()).to.equal(PICTURES.length - 1);
    const texts = await similar.allTextContents();
    const numbers = texts.map((text) => Number(/similarity (-?\d\.\d\d)/.exec(text)?.[1]));
    expect(numbers).to.deep.equal(numbers.toSorted((a, b) => b - a));
    expect(complaints).to.deep.equal([]);
  });

  it('are one press away from a box without a vector, which a model analyzes', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search');
    const face = page.locator('ul.hits li').filter({ hasText: 'astronaut.png' });
    await face.getByRole('link', { name: 'Similar' }).click();
    const compared = page.getByLabel('Compared with').getByRole('link', { name: 'Part of astronaut.png' });
    await compared.waitFor();
    const similar = page.locator('ul.hits:not(.like) li');
    await similar.first().waitFor();
    expect(await similar.count()).to.equal(PICTURES.length);
    expect(await similar.first().textContent()).to.match(/similarity -?\d\.\d\d/);
    expect(await violationsOf(page, 'similar to a crop')).to.deep.equal([]);
    await compared.click();
    await page.locator('.tracks li button').first().click();
    await page.locator('.tracks').getByRole('link', { name: 'Similar' }).click();
    await compared.waitFor();
    await similar.first().waitFor();
    expect(await similar.count()).to.equal(PICTURES.length);
    expect(complaints).to.deep.equal([]);
  });

  it('says why a model made no vector of a box', async () => {
    const { body } = await service.ask('GET', '/rest/search?type=FACE');
    const [{ jobId: job, mediaId: media }] = (body as { hits: [{ jobId: string; mediaId: number }] }).hits;
    const { page } = await chromium.reader(
      service,
      `#/search/similar?job=${job}&media=${media}&frame=0&box=99999+0+1+1`,
    );
    await page.getByText('The model made no vector of the picture.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('are those of a picture that is chosen, or dropped on the search field', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search');
    await page.getByRole('link', { name: 'Search by picture or description' }).click();
    const file = fileURLToPath(sampleUri('coffee.png'));
    await page.getByLabel('Choose picture').setInputFiles(file);
    const similar = page.locator('ul.hits li');
    await similar.first().filter({ hasText: 'coffee.png' }).waitFor();
    expect(await similar.first().textContent()).to.contain('similarity 1.00');
    expect(await similar.count()).to.equal(PICTURES.length);
    await page.getByText('Compared with: coffee.png').waitFor();

    await page.goto(`${page.url().replace(/#.*/, '')}#/search`);
    const base64 = readFileSync(fileURLToPath(sampleUri('red-car.jpg')), 'base64');
    const dataTransfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob('${base64}'), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], 'my car.jpg', { type: 'image/jpeg' }));
      return data;
    })()`);
    const deleted = page.waitForResponse(
      (answer) => answer.request().method() === 'DELETE' && answer.url().includes('/rest/media/'),
    );
    await page.getByRole('search').last().dispatchEvent('drop', { dataTransfer });
    await page.getByText('Compared with: my car.jpg').waitFor();
    await similar.first().filter({ hasText: 'red-car.jpg' }).waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(0);
    expect((await deleted).status()).to.equal(204);
    expect(complaints).to.deep.equal([]);
  });

  it('are those that words describe, and the page says so when the model has no text half', async () => {
    const { page } = await chromium.reader(service, '#/search/similar');
    await page.getByLabel('What pictures show').fill('red');
    await page.keyboard.press('Enter');
    await page.getByText('The model thumbnail has no text half').waitFor();
    writeModelPair(join(service.dataDir, 'models'));
    const job = await service.submit({
      media: PICTURES.map(sampleUri),
      pipelineName: 'ONNX DETECTION PIPELINE',
      jobProperties: { MODEL_NAME: 'colours/image' },
    });
    await service.terminal(job, 120_000);
    await until(
      'the index has the job',
      async () => (await service.ask('GET', `/rest/search?job=${job}`)).body as { hits: readonly unknown[] },
      ({ hits }) => hits.length === PICTURES.length,
    );
    await page.getByLabel('What pictures show').fill('something red');
    await page.keyboard.press('Enter');
    await page.locator('ul.hits li').first().filter({ hasText: 'coffee.png' }).waitFor();
    expect((await service.ask('DELETE', `/rest/jobs/${job}`)).status).to.equal(204);
    await until(
      'the index has the job no more',
      async () => (await service.ask('GET', `/rest/search?job=${job}`)).body as { hits: readonly unknown[] },
      ({ hits }) => hits.length === 0,
    );
  });

  it('are narrowed by filters in an address that can be shared', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search');
    const hit = page.locator('ul.hits li').filter({ hasText: 'coffee.png' });
    await hit.getByRole('link', { name: 'Similar' }).click();
    const similar = page.locator('ul.hits:not(.like) li');
    await similar.nth(PICTURES.length - 2).waitFor();
    const filters = page.getByLabel('Filters', { exact: true });
    await filters.getByRole('link', { name: 'yellow-car.jpg' }).click();
    await page.waitForURL(/medium=/);
    await similar.filter({ hasText: 'yellow-car.jpg' }).waitFor();
    await until('one is left', async () => (await similar.count()) === 1);
    await page.reload();
    await page.getByLabel('Compared with').filter({ hasText: 'coffee.png' }).waitFor();
    await similar.filter({ hasText: 'yellow-car.jpg' }).waitFor();
    expect(await similar.count()).to.equal(1);
    expect(await violationsOf(page, 'filtered similar findings')).to.deep.equal([]);
    await page.getByRole('link', { name: /^Remove .*yellow-car\.jpg/ }).click();
    await similar.nth(PICTURES.length - 2).waitFor();
    await page.getByText('More filters').click();
    await page.getByLabel('Job', { exact: true }).fill('test-host-987654');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing similar was found.').waitFor();
    await page.getByRole('link', { name: 'Remove Job test-host-987654' }).click();
    await page.getByRole('link', { name: 'Similarity from 0.9' }).click();
    await page.waitForURL(/alike=0\.9/);
    await page.getByText('Nothing similar was found.').waitFor();
    await page.getByRole('link', { name: 'clear all filters' }).click();
    await similar.nth(PICTURES.length - 2).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('are those of the model that is chosen', async () => {
    const { page, complaints } = await chromium.reader(service, '#/search');
    writeFileSync(join(service.dataDir, 'models', 'coarse.onnx'), thumbnailModel(3));
    const job = await service.submit({
      media: [sampleUri('coffee.png')],
      pipelineName: 'ONNX DETECTION PIPELINE',
      jobProperties: { MODEL_NAME: 'coarse' },
    });
    await service.terminal(job, 120_000);
    const modelsOf = async () =>
      (await service.ask('GET', '/rest/search/models')).body as { models: readonly unknown[] };
    await until('the index has the vector', modelsOf, ({ models }) => models.length === 2);
    await page.reload();
    const face = page.locator('ul.hits li').filter({ hasText: 'astronaut.png' });
    await face.getByRole('link', { name: 'Similar' }).click();
    const similar = page.locator('ul.hits:not(.like) li');
    await similar.first().waitFor();
    expect(await similar.count()).to.equal(1);
    await page.getByLabel('Model', { exact: true }).selectOption('thumbnail');
    await page.waitForURL(/model=thumbnail/);
    await similar.nth(PICTURES.length - 1).waitFor();
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).to.match(/^thumbnail@/);
    expect(await violationsOf(page, 'a choice of models')).to.deep.equal([]);
    expect((await service.ask('DELETE', `/rest/jobs/${job}`)).status).to.equal(204);
    await until('the index has one model', modelsOf, ({ models }) => models.length === 1);
    expect(complaints).to.deep.equal([]);
  });

  it('are one press away from a finding in the viewer, which hides the numbers of its vector', async () => {
    const { media } = await service.document(jobId);
    const { page, complaints } = await chromium.reader(service, `#/jobs/${jobId}/media/${media[0]!.mediaId}`);
    await page.locator('.tracks li button').first().click();
    const facts = page.locator('.tracks .facts');
    await facts.filter({ hasText: 'FEATURE_MODEL' }).waitFor();
    expect(await facts.locator('dt').allTextContents()).to.not.include('FEATURE');
    await page.locator('.tracks').getByRole('link', { name: 'Similar' }).click();
    await page.getByLabel('Compared with').filter({ hasText: 'red-car.jpg' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });
});
