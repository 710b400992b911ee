/** The first steps of a new user: from the login link to boxes on a playing video. */
import path from 'node:path';
import type { Chromium } from '../../support/browser/chromium.ts';
import { until } from '../../support/until.ts';
import { startClient } from '../jobs/client.ts';
import { measureTime, round, type Figure } from '../measure.ts';

/** The first use of a detector loads its model. */
const USERS = 3;
const IS_PLAYING_WITH_BOXES = `(() => {
  const video = document.querySelector('video');
  return video !== null && !video.paused && video.currentTime > 0 && document.querySelector('svg.boxes path') !== null;
})()`;

export async function newUser(folder: string, chromium: Chromium): Promise<readonly Figure[]> {
  const times: number[] = [];
  for (let user = 0; user < USERS; user++) {
    const name = `new-user-${user}`;
    const server = await startClient(folder, name);
    const service = { url: server.url, dataDir: path.join(folder, name) };
    times.push(await measureTime(() => seeBoxes(chromium, service)));
    await server.stop();
  }
  return [
    {
      what: `a new user, from the login link over a sample to boxes on a video that plays: ${USERS} runs`,
      value: times.map((ms) => `${round(ms / 1_000, 1)} s`).join(', '),
      aim: '<= 20 s',
    },
  ];
}

async function seeBoxes(
  chromium: Chromium,
  service: { readonly url: string; readonly dataDir: string },
): Promise<void> {
  const { page } = await chromium.reader(service, '');
  await page.getByRole('button', { name: 'Faces in a video' }).click();
  await page
    .getByRole('link', { name: /face_move\.mp4/ })
    .first()
    .click();
  await page.locator('video').waitFor();
  await page.keyboard.press('Space');
  await until('the video plays with boxes', () => page.evaluate<boolean>(IS_PLAYING_WITH_BOXES));
}
