/** A new analysis in a real browser: files dropped anywhere, several goals in one job, and its options. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../config/info.ts';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { answer, Receiver } from '../support/servers/receiver.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const sample = (name: string) => join(packageRoot, 'samples', name);

(hasChromium ? describe : describe.skip)('A new analysis', function () {
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

  const sheetOf = (page: Page) => page.getByRole('dialog', { name: 'New analysis' });
  /** Drops a file like a reader who drags it from a window of the system. */
  const drop = async (page: Page, name: string, type: string) => {
    const content = readFileSync(sample(name)).toString('base64');
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob('${content}'), (letter) => letter.codePointAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }));
      for (const what of ['dragover', 'drop'])
        document.querySelector('main').dispatchEvent(
          new DragEvent(what, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
  };
  const jobOf = async (page: Page) => {
    await page.waitForURL(/#\/jobs\/[^/]+$/);
    return /#\/jobs\/([^/?]+)/.exec(page.url())![1]!;
  };

  it('of a file dropped on any view finds several things in one job, named in plain words', async () => {
    const receiver = await Receiver.start(answer(200));
    try {
      const { page } = await chromium.reader(service, '#/pipelines');
      await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
      await drop(page, 'astronaut.png', 'image/png');
      const sheet = sheetOf(page);
      await sheet.getByText('astronaut.png').waitFor();
      const goal = (name: RegExp) => sheet.getByRole('checkbox', { name });
      await until('the usual goal is chosen', () => goal(/^People and things/).isChecked());
      await goal(/^People and things/).uncheck();
      await goal(/^Faces/).check();
      await goal(/^Text in pictures/).check();
      await sheet.getByText('Options', { exact: true }).click();
      await sheet.getByLabel('Accuracy in videos').selectOption('Faster: every third frame');
      await sheet.getByLabel(/^Notify this address/).fill(`${receiver.url}/done`);
      await sheet.getByRole('button', { name: 'Start', exact: true }).click();
      const job = await jobOf(page);
      await page.getByRole('heading', { name: 'Faces and text in pictures in astronaut.png' }).waitFor();
      await page.locator('h1 .status', { hasText: /^Complete$/ }).waitFor();
      const document = await service.document(job);
      expect(document['jobProperties']).to.deep.equal({ FRAME_INTERVAL: '3' });
      expect(Object.keys(document.media[0]!.output)).to.include('FACE');
      expect(JSON.stringify(document.media[0]!.output)).to.include('TEXT DETECTION ACTION');
      await until('the callback came', () => receiver.requests.some(({ path }) => path.startsWith('/done')));
      await page.getByText('Details').click();
      await page.getByText(/FACE DETECTION ACTION, TEXT DETECTION ACTION/).waitFor();
      await page.goto(`${service.url}/#/jobs`);
      await page
        .locator(`tr[data-job="${job}"]`)
        .getByText('Faces and text in pictures', { exact: true })
        .waitFor();
    } finally {
      await receiver.close();
    }
  });

  it('also makes a copy with blurred findings, as a job for each kind of finding', async () => {
    const { page } = await chromium.reader(service, '#/library');
    await drop(page, 'astronaut.png', 'image/png');
    const sheet = sheetOf(page);
    const goal = (name: RegExp) => sheet.getByRole('checkbox', { name });
    await until('the usual goal is chosen', () => goal(/^People and things/).isChecked());
    await goal(/^Faces/).check();
    await sheet.getByText('Options', { exact: true }).click();
    await sheet.getByLabel(/findings are blurred/).check();
    await sheet.getByText('This starts 2 jobs.').waitFor();
    await goal(/^People and things/).uncheck();
    await sheet.getByRole('button', { name: 'Start', exact: true }).click();
    const job = await jobOf(page);
    await page.getByRole('heading', { name: 'Faces in astronaut.png' }).waitFor();
    await page.locator('h1 .status', { hasText: /^Complete$/ }).waitFor();
    const document = await service.document(job);
    expect(document['jobProperties']).to.deep.equal({ MARKUP_STYLE: 'BLUR' });
    expect(document.media[0]!.markupResult?.path).to.match(/\.(png|jpg)$/);
  });

  it('of an address ends with a small picture, and says why there is no larger one', async () => {
    const server = createServer((_, response) =>
      response.setHeader('Content-Type', 'image/png').end(readFileSync(sample('astronaut.png'))),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const job = await service.submit({
        media: [`http://127.0.0.1:${port}/fetched.png`],
        pipelineName: 'FACE DETECTION PIPELINE',
      });
      await service.terminal(job);
      const { page } = await chromium.reader(service, '#/library');
      const tile = page.locator('a.tile', { hasText: 'fetched.png' }).first();
      await tile.click();
      await page.locator('.screen').getByRole('alert').waitFor();
      await until('the small picture is shown', () =>
        page.locator('.picture img').evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0),
      );
      await page.locator('svg.boxes path').first().waitFor({ state: 'attached' });
    } finally {
      server.close();
    }
  });

  it('of good and damaged media shows what was found in the good ones, and does not look failed', async () => {
    const job = await service.submit({
      media: [sampleUri('astronaut.png'), pathToFileURL(join(service.mediaDir, 'absent.png')).href],
      pipelineName: 'FACE DETECTION PIPELINE',
    });
    await service.terminal(job);
    const { page } = await chromium.reader(service, '#/jobs');
    const row = page.locator(`tr[data-job="${job}"]`);
    await row.getByText('Some media failed').waitFor();
    await row.getByText('1 face').waitFor();
  });

  it('shows messages of the administrator to every user, until the user hides them', async () => {
    const posted = await service.ask(
      'POST',
      '/rest/system-message?severity=warning',
      JSON.stringify('The server restarts at noon.'),
    );
    expect(posted.status).to.be.oneOf([200, 201]);
    const { page } = await chromium.reader(service, '#/library', { as: 'USER' });
    const notice = page.locator('.notice', { hasText: 'The server restarts at noon.' });
    await notice.waitFor();
    await notice.getByRole('button', { name: /^Hide/ }).click();
    await notice.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Library' }).first().waitFor();
    await page.getByRole('button', { name: 'New analysis' }).waitFor();
    expect(await notice.count()).to.equal(0);
  });
});
