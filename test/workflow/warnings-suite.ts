/** A job whose component reports warnings for every segment of a video, and servers that crash during it. */
import { expect } from 'chai';
import type { DeathWish } from '../support/processes/server-main.ts';
import { Service, type DetectionDocument } from '../support/processes/service.ts';
import { finds, pipelineOf, video } from './support.ts';

export const WARNED = 'COMPLETE_WITH_WARNINGS';

/** Three segments of 20 frames, each with the same two warnings. */
export const WARNING = pipelineOf(
  finds([{ frames: [1, 2] }], {
    WARN: 'Too dark.|Too loud.',
    TARGET_SEGMENT_LENGTH: '20',
    MIN_SEGMENT_LENGTH: '10',
  }),
);
export const EXPECTED = ['0 STAGED OTHER: Too dark.', '0 STAGED OTHER: Too loud.'];

/** Medium, source, code and message of each warning. */
export const warningsIn = ({ warnings, media }: DetectionDocument): readonly string[] =>
  warnings.flatMap(({ mediaId, details }) =>
    details.map(({ source, code, message }) => {
      const index = media.findIndex((medium) => medium.mediaId === mediaId);
      return `${index} ${source} ${code}: ${message}`;
    }),
  );

/** Commits: accepted, inspected, three segments, finished, end with the document. */
export function toldOnceBy(wishes: readonly DeathWish[]): void {
  describe('Warnings of a video in several pieces', () => {
    let service: Service;
    let film: string;
    before(async () => {
      service = new Service();
      film = video(service, 'film.avi', { frames: 60 });
      await service.start();
    });
    after(() => service.close());

    for (const wish of wishes)
      it(`are told once though the server dies right ${wish.when} commit ${wish.at}`, async () => {
        await service.dieAt(wish);
        const id = await service.submit({ ...WARNING, media: [film] });
        expect(await service.waitForExit()).to.equal('SIGKILL');
        await service.start();
        expect((await service.terminal(id)).jobStatus).to.equal(WARNED);
        expect(warningsIn(await service.document(id))).to.deep.equal(EXPECTED);
      });
  });
}
