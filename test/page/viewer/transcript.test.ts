/** The transcript in the viewer. The test is the job's detector and supplies the words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { WorkerClient } from '../../../components/sdk/connection/client.ts';
import { runWorker } from '../../../components/sdk/work/worker.ts';
import { packageRoot } from '../../../config/info.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { WHOLE } from '../../support/browser/crowd.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

/** Frames per line. */
const LENGTH = 10;
const LINES = 40;
const wordsOf = (line: number) => `This is line ${line}.`;

async function* speakLines(): AsyncGenerator<string> {
  for (let line = 0; line < LINES; line++) {
    const startFrame = line * LENGTH;
    const properties = { TRANSCRIPT: wordsOf(line) };
    const detection = { frame: startFrame, x: 1, y: 2, width: 30, height: 20, confidence: 0.9, properties };
    const track = { startFrame, stopFrame: startFrame + LENGTH - 1, confidence: 0.9, properties };
    yield await Promise.resolve(`${JSON.stringify({ ...track, detections: [detection] })}\n`);
  }
}

(hasChromium ? describe : describe.skip)('The transcript in the viewer', function () {
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

  it('marks the line of the moment while a video plays, and leads to the moment of a line', async () => {
    const file = join(packageRoot, 'test', 'support', 'components', 'absent', 'descriptor.json');
    const descriptor = readFileSync(file, 'utf8')
      .replace('"trackType": "ABSENT"', '"trackType": "SPEECH"')
      .replaceAll(/ABSENT/gi, 'SPOKEN');
    await service.ask('POST', '/rest/components/registerUnmanaged', descriptor);
    const path = join(service.mediaDir, 'spoken.mp4');
    makeVideo(path, { frames: LINES * LENGTH });
    const stop = new AbortController();
    const client = new WorkerClient(service.url, service.token);
    const working = runWorker({
      ...{ client, algorithms: ['SPOKEN'], signal: stop.signal },
      ...{ handle: speakLines, log: () => undefined },
    });
    const job = await service.submit({
      ...{ media: [pathToFileURL(path).href], pipelineName: 'SPOKEN PIPELINE', jobProperties: WHOLE },
    });
    await service.terminal(job, 120_000);
    stop.abort();
    await working;
    client.close();

    const { page, complaints } = await chromium.reader(
      service,
      `#/jobs/${job}/${await service.placeOf(job)}`,
    );
    const transcript = page.getByRole('region', { name: 'Transcript' });
    const now = transcript.locator('li[aria-current=time]');
    const lineIs = (line: number) =>
      until(
        `line ${line} is marked`,
        () => now.allTextContents(),
        (texts) => texts.length === 1 && texts[0]!.endsWith(wordsOf(line)),
      );
    await lineIs(0);
    const target = transcript.getByRole('button', { name: wordsOf(25) });
    await target.click();
    await lineIs(25);
    const seconds = () => page.evaluate<number>(`document.querySelector('video').currentTime`);
    await until('the video is at the line', seconds, (at) => Math.abs(at - 10) < 0.05);
    await page.mouse.move(5, 5);
    await page.evaluate('document.activeElement.blur()');
    await page.locator('video').evaluate((video: { play(): Promise<void> }) => video.play());
    await until(
      'the mark has gone on',
      () => now.allTextContents(),
      ([line]) => Number(/line (\d+)/.exec(line ?? '')?.[1] ?? 0) > 27,
    );
    await page.locator('video').evaluate((video: { pause(): void }) => video.pause());
    const seen = await until(
      'the marked line is inside the panel',
      () => Promise.all([boxOf(now), boxOf(transcript.locator('ol'))]),
      ([line, list]) => line.y >= list.y - 1 && line.y + line.height <= list.y + list.height + 1,
    );
    expect(seen[1].height).to.be.above(100);
    expect(await violationsOf(page, 'a transcript')).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });
});

const boxOf = async (locator: Locator) => (await locator.boundingBox())!;
