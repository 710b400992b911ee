/** The list of jobs in a real browser: its columns, and actions on many jobs. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

(hasChromium ? describe : describe.skip)('The list of jobs', function () {
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

  const row = (page: Page, job: string) => page.locator(`tr[data-job="${job}"]`);
  const submit = (sample: string, pipelineName: string, externalId?: string) =>
    service.submit({ media: [sampleUri(sample)], pipelineName, ...(externalId && { externalId }) });
  const asksOf = (page: Page): string[] => {
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    return asked;
  };

  it('offers the next steps while there is no job', async () => {
    const empty = await Service.here();
    try {
      const { page } = await chromium.reader(empty, '#/jobs');
      await page.getByRole('button', { name: 'Choose files' }).waitFor();
      await page.getByRole('button', { name: 'Text in a picture' }).waitFor();
      await page.getByRole('link', { name: 'Connect a camera' }).waitFor();
      expect(await page.getByLabel('Filters').count()).to.equal(0);
    } finally {
      await empty.close();
    }
  });

  it('shows the picture, the findings and the date of a job that has ended', async () => {
    const job = await submit('astronaut.png', 'FACE DETECTION PIPELINE');
    await service.terminal(job);
    const { page, complaints } = await chromium.reader(service, '#/jobs');
    await row(page, job).getByText('1 face').waitFor();
    const picture = row(page, job).locator('.thumbnail img');
    await until('the picture is loaded', () =>
      picture.evaluate((image: { complete: boolean; naturalWidth: number }) => image.naturalWidth > 0),
    );
    await row(page, job)
      .getByText(/^Today /)
      .waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('keeps each button in its place when a job ends', async () => {
    const job = await submit('digital-clock.jpg', 'ABSENT PIPELINE');
    const { page } = await chromium.reader(service, '#/jobs');
    asksOf(page);
    const cancel = row(page, job).getByRole('button', { name: 'Cancel' });
    const place = (await cancel.boundingBox())!;
    await cancel.click();
    await row(page, job).getByText('Cancelled').waitFor();
    const under = await page.evaluate(
      `document.elementFromPoint(${place.x + place.width / 2}, ${place.y + place.height / 2}).closest('button')?.getAttribute('aria-label') ?? 'none'`,
    );
    expect(under).to.equal('none');
    await row(page, job).getByRole('button', { name: 'Delete' }).waitFor();
  });

  it('counts the jobs that match before it asks whether to change them', async () => {
    const size = 53;
    for (let n = 0; n < size; n++) await submit('digital-clock.jpg', 'LIGHT PIPELINE', 'many');
    await until(
      'all have ended',
      async () =>
        (await service.ask('GET', '/rest/jobs?externalId=many&terminal=false')).body as { jobs: unknown[] },
      ({ jobs }) => jobs.length === 0,
    );
    const { page } = await chromium.reader(service, '#/jobs?externalId=many');
    const asked = asksOf(page);
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check();
    await page.getByRole('button', { name: 'Select all', exact: true }).click();
    await page.getByText('50 jobs selected').waitFor();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByText(`${size} jobs selected`).waitFor();
    expect(asked).to.deep.equal([]);
    await page.getByLabel('Selected jobs').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`${size} of ${size} jobs done.`).waitFor();
    expect(asked).to.deep.equal([`${size} jobs. Delete them with all their results?`]);
  });

  it('retries all jobs that failed for one cause', async () => {
    const jobs = [1, 2].map(() => submit('video_01_invalid.mp4', 'LIGHT PIPELINE'));
    for (const job of await Promise.all(jobs)) await service.terminal(job);
    const { page } = await chromium.reader(service, '#/jobs');
    const asked = asksOf(page);
    const causes = page.getByLabel('Failures by cause');
    await causes.getByRole('button', { name: /^Retry 2 failed jobs/ }).click();
    await causes.getByText('2 of 2 jobs done.').waitFor();
    expect(asked[0]).to.match(/^2 jobs\. Run what failed in them again/);
  });

  it('shows at once that it loads, and offers a second attempt when that fails', async () => {
    await submit('digital-clock.jpg', 'LIGHT PIPELINE');
    const { page } = await chromium.reader(service, '#/pipelines');
    let failures = 0;
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route(/\/rest\/jobs(\/events)?\?/, async (route) => {
      await held;
      if (failures++ < 2) await route.abort();
      else await route.continue();
    });
    const waited = (await page.evaluate(`new Promise((resolve) => {
      const started = performance.now();
      location.hash = '#/jobs';
      const look = () => document.querySelector('.skeleton-rows .skeleton') === null
        ? requestAnimationFrame(look) : resolve(performance.now() - started);
      look();
    })`)) as number;
    expect(waited).to.be.below(100);
    go();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.locator('tr[data-job]').first().waitFor();
  });

  it('repeats a request after the time that a busy server names', async () => {
    const { page } = await chromium.reader(service, '#/jobs');
    let requests = 0;
    const refusal = {
      status: 503,
      headers: { 'Retry-After': '1' },
      body: JSON.stringify({ message: 'The server is busy.' }),
    };
    await page.route(/\/rest\/pipelines/, (route) =>
      requests++ < 2 ? route.fulfill(refusal) : route.continue(),
    );
    await page.goto(`${service.url}/#/pipelines`);
    await page.getByRole('alert').getByText('The server is busy.').first().waitFor();
    await page.locator('.pipelines .card').first().waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(requests).to.be.at.least(3);
  });
});
