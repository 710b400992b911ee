import { expect } from 'chai';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeVideo } from '../../media/support/make-video.ts';
import { paintedNumber } from '../../media/support/painted-number.ts';
import type { Service } from '../../support/processes/service.ts';
import type { ServerPair } from './server-pair.ts';

const FRAMES = 20;

/** `isLong`: includes cases that unit tests also cover, and variations. */
export function frames(pair: () => ServerPair, { isLong }: { readonly isLong: boolean }): void {
  describe('Frames that are asked for at two servers of one store', () => {
    let jobId: string;
    let medium: string;

    before(async () => {
      const { one } = pair();
      const video = join(one.mediaDir, 'counted.mp4');
      makeVideo(video, { frames: FRAMES });
      jobId = await one.submit({ media: [pathToFileURL(video).href], pipelineName: 'LIGHT PIPELINE' });
      await one.terminal(jobId);
      medium = await one.placeOf(jobId);
    });

    const path = (frame: number) => `/rest/jobs/${jobId}/${medium}/frames/${frame}.jpg`;
    const shownBy = async (service: Service, frame: number) => {
      const headers = { authorization: `Bearer ${service.token}` };
      const response = await fetch(`${service.url}${path(frame)}`, { headers });
      if (response.status !== 200)
        throw new Error(`${path(frame)}: ${response.status} ${await response.text()}`);
      return paintedNumber(Buffer.from(await response.arrayBuffer()), FRAMES);
    };

    it('are made by components of the server where a client waits, each as the right frame', async () => {
      const { one, two } = pair();
      const frames = Array.from({ length: isLong ? 8 : 2 }, (_, frame) => frame);
      const shown = await Promise.all(
        frames.flatMap((frame) => [shownBy(one, frame), shownBy(two, FRAMES - 1 - frame)]),
      );
      expect(shown).to.deep.equal(frames.flatMap((frame) => [frame, FRAMES - 1 - frame]));
      const makers = (service: Service) =>
        service
          .handedOut()
          .filter(({ subJob }) => subJob.startsWith('frame.'))
          .map(({ worker }) => worker);
      expect(makers(one).every((worker) => worker.startsWith('one:'))).to.equal(true);
      expect(makers(two).every((worker) => worker.startsWith('two:'))).to.equal(true);
      expect(makers(one).length + makers(two).length).to.equal(2 * frames.length);
    });

    if (!isLong) return;

    it('stay where they are when another server starts, unless nobody has made them for long', async () => {
      const { one } = pair();
      const [run] = await one.files('frames');
      const folder = join('frames', run!);
      const [old] = await one.files(folder);
      await utimes(join(one.dataDir, folder, old!), 0, 0);
      const kept = (await one.files(folder)).filter((name) => name !== old);
      expect(kept).not.to.have.length(0);
      const third = await pair().third('of-frames');
      expect(await one.files(folder)).to.have.members(kept);
      await third.close();
    });
  });
}
