/** The findings of the viewer as a grid of crops, in a real browser. */
import { expect } from 'chai';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

(hasChromium ? describe : describe.skip)('The grid of crops in the viewer', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.here({ FACE_EMBEDDING: 'true' });
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const placeOf = async (media: readonly string[], pipelineName: string) => {
    const job = await service.submit({ media: media.map(sampleUri), pipelineName });
    await service.terminal(job, 120_000);
    return `#/jobs/${job}/${await service.placeOf(job)}`;
  };

  it('has a crop of each finding of a class, and more of the selected one', async () => {
    const place = await placeOf(['face_move.mp4'], 'FACE DETECTION PIPELINE');
    const { page, complaints } = await chromium.reader(service, place);
    await page.locator('.tracks li').first().waitFor();
    await page.getByRole('button', { name: 'Crops' }).click();
    await page.getByRole('heading', { name: /^Faces 1$/ }).waitFor();
    const crop = page.locator('.crops > li > button');
    await until('the crop is loaded', () =>
      crop
        .locator('img')
        .evaluate((image: { naturalWidth: number; naturalHeight: number }) => image.naturalWidth > 0),
    );
    await crop.click();
    await page.locator('svg.boxes path.selected').waitFor({ state: 'attached' });
    const more = page.getByRole('list', { name: 'Crops of this track' }).getByRole('button');
    await more.nth(5).waitFor();
    expect(await more.count()).to.equal(6);
    const last = Number(/\d+/.exec((await more.nth(5).getAttribute('aria-label'))!)![0]);
    const frame = async () => Number(await page.locator('svg.boxes').getAttribute('data-frame'));
    expect(await frame()).to.be.below(last);
    await more.nth(5).focus();
    await page.keyboard.press('Enter');
    await until('its frame is shown', frame, (at) => at === last);
    expect(await violationsOf(page, 'the crops')).to.deep.equal([]);
    await page.waitForURL(/found=crops/);
    await page.reload();
    await more.nth(5).waitFor();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.locator('.tracks .chosen-track').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('has the crops of each person', async () => {
    const place = await placeOf(['astronaut.png'], 'FACE EMBEDDING PIPELINE');
    const [person] = await until(
      'the face is a person',
      async () => ((await service.ask('GET', '/rest/people')).body as { people: { id: string }[] }).people,
      (people) => people.length === 1,
    );
    await service.ask('PATCH', `/rest/people/${person!.id}`, { name: 'Eileen' });
    const { page } = await chromium.reader(service, `${place}?found=crops`);
    const group = page.locator('.found-group', { has: page.getByRole('link', { name: 'Eileen' }) });
    await group.locator('.crops img').waitFor();
    await group.getByRole('link', { name: 'Eileen' }).click();
    await page.getByRole('heading', { name: 'Eileen' }).waitFor();
  });

  it('is not offered where a medium has no pictures', async () => {
    const place = await placeOf(['slides.odp'], 'DOCUMENT TEXT DETECTION PIPELINE');
    const { page } = await chromium.reader(service, `${place}?found=crops`);
    await page.locator('.tracks li').first().waitFor();
    expect(await page.getByRole('button', { name: 'Crops' }).count()).to.equal(0);
  });
});
