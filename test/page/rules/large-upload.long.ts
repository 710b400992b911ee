/** A very large upload in the page: its connection breaks repeatedly, and the server restarts once. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const GIB = 1024 ** 3;
const BYTES = 5 * GIB;
const LONG = { withinMs: 600_000 };

const hashOf = async (file: string) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/** Mostly zeros, with different data at the start of each 100 MB. */
async function writeLarge(file: string): Promise<void> {
  const handle = await open(file, 'w');
  for (let at = 0; at < BYTES; at += 100_000_000) await handle.write(`${at} `, at);
  await handle.truncate(BYTES);
  await handle.close();
}

(hasChromium ? describe : describe.skip)('An upload of 5 GiB', function () {
  this.timeout(900_000);
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

  const sent = (page: Page) =>
    page
      .locator('progress')
      .first()
      .evaluate((bar: { value: number }) => bar.value)
      .catch(() => BYTES);

  it('arrives whole, though its connection breaks and the server restarts', async () => {
    const file = join(service.folder, 'large.bin');
    await writeLarge(file);
    const { page } = await chromium.reader(service, '#/new');
    await page.locator('input[type=file]').first().setInputFiles(file);
    for (const part of [0.1, 0.3, 0.5, 0.7]) {
      await until(
        `${part} is sent`,
        () => sent(page),
        (bytes) => bytes >= part * BYTES,
        LONG,
      );
      const PORT = new URL(service.url).port;
      if (part === 0.5) await service.stop();
      else await page.context().setOffline(true);
      await page.getByText('no connection. Trying again.').waitFor();
      if (part === 0.5) await service.startHere({ PORT });
      else await page.context().setOffline(false);
    }
    const place = page.locator('.chosen li > span[title^="file:"]');
    await place.waitFor({ timeout: LONG.withinMs });
    const stored = fileURLToPath((await place.getAttribute('title'))!);
    expect(statSync(stored).size).to.equal(BYTES);
    expect(await hashOf(stored)).to.equal(await hashOf(file));
  });
});
