/** Uploads in the page with broken connections, in a real browser with a real service. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** Several parts of 8 MiB. */
const BYTES = 40 * 1024 * 1024;
const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex');
const PIECES = /\/rest\/media\/[^/]+\/pieces\?/;

(hasChromium ? describe : describe.skip)('An upload of the page', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  let content: Buffer;
  let file: string;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
    content = randomBytes(BYTES);
    file = join(service.folder, 'long.bin');
    writeFileSync(file, content);
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  /** Opens the view without the files that an earlier test has chosen. */
  const open = async () => {
    const { page } = await chromium.reader(service, '#/new');
    await page.reload();
    return page;
  };
  const choose = (page: Page) => page.locator('input[type=file]').first().setInputFiles(file);
  const sent = (page: Page) =>
    page
      .locator('progress')
      .first()
      .evaluate((bar: { value: number }) => bar.value);
  /** Waits for the end of the upload and returns the hash of the stored file. */
  const stored = async (page: Page) => {
    const uri = await until('the upload is done', () =>
      page
        .locator('.chosen li > span[title^="file:"]')
        .getAttribute('title', { timeout: 1_000 })
        .catch(() => null),
    );
    return hash(await readFile(fileURLToPath(uri!)));
  };
  /** Records the offsets of all parts that are sent. */
  const countPieces = (page: Page) => {
    const offsets: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT' && PIECES.test(request.url()))
        offsets.push(Number(new URL(request.url()).searchParams.get('offset')));
    });
    return offsets;
  };

  it('goes on by itself after the connection was broken', async () => {
    const page = await open();
    const offsets = countPieces(page);
    let broken = 0;
    await page.route(PIECES, async (route) => {
      const isThird = route
        .request()
        .url()
        .endsWith(`offset=${2 * 8 * 1024 * 1024}`);
      if (isThird && broken < 2) {
        broken++;
        await route.abort('connectionreset');
      } else await route.continue();
    });
    await choose(page);
    await page.getByText('no connection. Trying again.').waitFor();
    expect(await stored(page)).to.equal(hash(content));
    expect(offsets.filter((offset) => offset === 0)).to.have.length(1);
    expect(offsets.filter((offset) => offset === 2 * 8 * 1024 * 1024)).to.have.length(3);
  });

  it('stops when it is paused, and resumes where it was', async () => {
    const page = await open();
    const offsets = countPieces(page);
    let held: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (held = resolve));
    await page.route(PIECES, async (route) => {
      if (!route.request().url().endsWith('offset=0')) await wait;
      await route.continue().catch(() => undefined);
    });
    await choose(page);
    await until(
      'the first piece is there',
      () => sent(page),
      (bytes) => bytes >= 8 * 1024 * 1024,
    );
    await page.getByRole('button', { name: 'Pause the upload of long.bin' }).click();
    await page.getByText('paused').waitFor();
    held();
    const before = offsets.length;
    expect(await sent(page)).to.be.below(BYTES);
    await page.getByRole('button', { name: 'Resume the upload of long.bin' }).click();
    expect(await stored(page)).to.equal(hash(content));
    expect(offsets.slice(before)).to.not.include(0);
  });

  it('goes on after the page was loaded again, when the same file is chosen', async () => {
    const page = await open();
    await page.route(PIECES, async (route) => {
      if (route.request().url().endsWith('offset=0')) await route.continue();
      else await route.abort('connectionreset');
    });
    await choose(page);
    await page.getByText('no connection. Trying again.').waitFor();
    await page.reload();
    await page.unrouteAll();
    const row = page.locator('.unfinished li', { hasText: 'long.bin' });
    await row.getByText(/^(8\.0|16) MiB of 40 MiB sent$/).waitFor();
    // A request in transit during the reload may have delivered another part.
    const received = (await page.evaluate(
      `JSON.parse(localStorage['troupe.uploads'])[0].received`,
    )) as number;
    const offsets = countPieces(page);
    await choose(page);
    expect(await stored(page)).to.equal(hash(content));
    expect(offsets[0])
      .to.equal(received)
      .and.to.be.at.least(8 * 1024 * 1024);
    expect(await row.count()).to.equal(0);
  });
});
