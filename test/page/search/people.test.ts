/** People in a real browser: rename, merge and split, with the accessible names of all controls. */
import { expect } from 'chai';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { story } from '../../support/story.ts';
import { until } from '../../support/until.ts';

const MEDIA = ['astronaut.png', 'face_move.mp4', 'grace_hopper_512x512.jpg'];

story('People on the page', 'each test changes the same two people', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  let jobId: string;
  before(async function () {
    if (!hasChromium) return this.skip();
    service = await Service.here({ FACE_EMBEDDING: 'true' });
    chromium = await Chromium.start();
    const media = MEDIA.map(sampleUri);
    const jobProperties = { FACES_PER_TRACK: '1' };
    jobId = await service.submit({ media, pipelineName: 'FACE EMBEDDING PIPELINE', jobProperties });
    await service.terminal(jobId, 120_000);
    await until(
      'the faces are in groups',
      async () => (await service.ask('GET', '/rest/people')).body as { people: { tracks: number }[] },
      ({ people }) => people.length === 2 && people[0]!.tracks === 2,
    );
  });
  after(async () => {
    await chromium?.close();
    await service?.close();
  });

  it('are loaded page by page, and a failure is shown', async () => {
    const { page, complaints } = await chromium.reader(service, '#/library');
    let isBroken = true;
    await page.route(/\/rest\/people\?/, (route) => {
      const url = new URL(route.request().url());
      if (url.searchParams.has('cursor') && isBroken)
        return route.fulfill({ status: 503, json: { message: 'Later' } });
      url.searchParams.set('limit', '1');
      return route.continue({ url: url.href });
    });
    await page.goto(`${service.url}/#/people`);
    const people = page.locator('ul.people > li');
    await people.first().waitFor();
    expect(await people.count()).to.equal(1);
    const more = page.getByRole('button', { name: 'Load more' });
    await more.click();
    await page.getByRole('alert').filter({ hasText: 'Later' }).waitFor();
    isBroken = false;
    complaints.length = 0;
    expect(await violationsOf(page, 'a page of people')).to.deep.equal([]);
    await more.press('Enter');
    await people.nth(1).waitFor();
    await more.waitFor({ state: 'detached' });
    await page.getByText('2 people', { exact: true }).waitFor();
    expect(complaints).to.deep.equal([]);
    await page.unrouteAll();
  });

  it('are a grid of faces, one press away from their places and their names', async () => {
    const { page, complaints } = await chromium.reader(service, '#/library');
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'People' }).click();
    const people = page.locator('ul.people > li');
    await people.first().waitFor();
    expect(await people.count()).to.equal(2);
    await people.first().getByRole('link').click();
    await page.getByRole('heading', { name: 'Without a name' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Eileen');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Eileen' }).waitFor();
    expect(await people.count()).to.equal(2);
    await page.getByRole('link', { name: 'Search findings' }).click();
    const hit = page.locator('ul.hits li').filter({ hasText: 'face_move.mp4' });
    await hit.locator('.chip').filter({ hasText: 'Eileen' }).waitFor();
    await page.getByRole('link', { name: 'Remove Eileen' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('are split by selected faces, and merged by selected people', async () => {
    const { page, complaints } = await chromium.reader(service, '#/people');
    await page.getByRole('link', { name: /Eileen/ }).click();
    await page.getByRole('checkbox', { name: /face_move/ }).check();
    await page.getByRole('button', { name: 'This is somebody else' }).click();
    await page.getByRole('heading', { name: 'Without a name' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'People', exact: true }).click();
    const people = page.locator('ul.people > li');
    await people.nth(2).waitFor();
    await page.getByRole('checkbox', { name: 'Select Eileen' }).check();
    const split = people.filter({ hasText: 'Without a name' });
    for (let n = 0; n < 2; n++) await split.nth(n).getByRole('checkbox').check();
    await page.getByText('3 people selected').waitFor();
    await page.getByRole('button', { name: 'Merge into Eileen' }).click();
    await page.getByText('3 times in 3 media').waitFor();
    expect(await people.count()).to.equal(1);
    expect(complaints).to.deep.equal([]);
  });

  it('are told in the library and in the viewer in place of faces', async () => {
    const { page, complaints } = await chromium.reader(service, '#/library');
    await page.locator('.tile .chip').filter({ hasText: '1 person' }).first().waitFor();
    await page.locator('.tile').filter({ hasText: 'face_move.mp4' }).click();
    await page.getByRole('navigation', { name: 'People' }).getByRole('link', { name: 'Eileen' }).waitFor();
    await page.locator('header .hint').filter({ hasText: '1 person' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });
});
