/** The page while a job runs: it shows the results of finished parts, and adds the others later. */
import { expect } from 'chai';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { heldJob, variableAt } from '../support/held-job.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { expectBoxesOnTheirFrame, SHOWN } from './frame-truth-suite.ts';

(hasChromium ? describe : describe.skip)('The page, while a job runs,', function () {
  this.timeout(120_000 + SHOWN * 200);
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
  /** Also released after a failed test, because other tests need the component. */
  const releases: (() => void)[] = [];
  afterEach(() => releases.splice(0).forEach((release) => release()));
  const holdJob = async (name: string, at?: (frame: number) => number) => {
    const held = await heldJob(service, name, at);
    releases.push(held.release);
    return held;
  };

  it('shows it in the library, with boxes and its progress, and leads to the viewer', async () => {
    const { job, release } = await holdJob('library.mp4');
    const { page, complaints } = await chromium.reader(service, '');
    const tile = page.locator('a.tile.running', { hasText: 'library.mp4' });
    await tile.getByText(/^about \d+ (s|min) left$/).waitFor();
    await tile.locator('svg rect').first().waitFor({ state: 'attached' });
    await tile.getByText('3 stageds').waitFor();
    await tile.locator('progress[value="60"]').waitFor();
    const shot = tile.locator('.shot');
    const before = await shot.boundingBox();
    expect(await tile.locator('img').getAttribute('src')).to.match(/\/frames\/\d+\.jpg\?small=true$/);
    expect(await shot.boundingBox()).to.deep.equal(before);
    await tile.click();
    await page.waitForURL(`**/#/jobs/${job}/${await service.placeOf(job)}**`);
    release();
    await service.terminal(job);
    expect(complaints).to.deep.equal([]);
  });

  it('fills in the viewer without loading the video anew', async () => {
    const { job, release } = await holdJob('fills.mp4');
    const place = `#/jobs/${job}/${await service.placeOf(job)}`;
    const { page, complaints } = await chromium.reader(service, place);
    await page.getByText('60 % analyzed').waitFor();
    await page.getByText('3 findings', { exact: true }).waitFor();
    const pending = page.locator('.lanes path.pending');
    await until(
      'the lane shows what is not done',
      () => pending.getAttribute('d'),
      (d) => d?.startsWith('M600.00 0h400.00v') === true,
    );
    await page.locator('svg.boxes[data-known="true"]').waitFor({ state: 'attached' });
    await page.evaluate(`document.querySelector('video').marked = true`);
    const lanes = await page.locator('.lanes').boundingBox();

    release();
    await page.getByText('5 findings', { exact: true }).waitFor();
    await page.getByText('% analyzed').waitFor({ state: 'detached' });
    expect(await pending.count()).to.equal(0);
    expect(await page.locator('.lanes').boundingBox()).to.deep.equal(lanes);
    expect(await page.evaluate(`document.querySelector('video').marked`)).to.equal(true);
    expect(complaints).to.deep.equal([]);
  });

  it('draws the boxes of finished parts exactly on their frame', async () => {
    const { job, release } = await holdJob('truth.mp4', variableAt);
    await until('a part is done', async () => (await service.job(job))!.jobProgress >= 60);
    await expectBoxesOnTheirFrame({ service, chromium }, job);
    release();
    await service.terminal(job);
  });

  it('lists its media with their progress, and then with their results', async () => {
    const { job, release } = await holdJob('listed.mp4');
    const { page, complaints } = await chromium.reader(service, `#/jobs/${job}`);
    const row = page.locator('tr', { hasText: 'listed.mp4' });
    await page.locator('section.stage').getByText(/left$/).waitFor();
    await row.locator('progress[value="60"]').waitFor();
    release();
    await row.locator('.status', { hasText: /^Complete$/ }).waitFor();
    await row.locator('td[data-label="Found"]', { hasText: /^5 stageds$/ }).waitFor();
    expect(complaints.filter((one) => !/ 409 .*\/issues$/.test(one))).to.deep.equal([]);
  });
});
