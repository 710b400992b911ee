/** Detectors report the parts of a medium that they could not process as warnings. */
import { expect } from 'chai';
import { Service } from '../support/processes/service.ts';
import { EXPECTED, WARNED, WARNING, warningsIn } from './warnings-suite.ts';
import { annotates, finds, pipelineOf, run, video } from './support.ts';

describe('Warnings of a component', () => {
  let service: Service;
  let film: string;
  before(async () => {
    service = await Service.openShared();
    film = video(service, 'film.avi', { frames: 60 });
  });
  after(() => service.close());

  describe('of a video in several pieces', () => {
    it('are told once, with the algorithm as their source, and fail nothing', async () => {
      const document = await run(service, film, WARNING, WARNED);
      expect(document.media[0]?.status).to.equal('COMPLETE');
      expect(document.errors).to.deep.equal([]);
      expect(warningsIn(document)).to.deep.equal(EXPECTED);
    });

    it('are told of a step that annotates, too', async () => {
      const noting = { algorithm: 'STAGED', properties: { ...annotates().properties, WARN: 'Not read.' } };
      const document = await run(service, film, pipelineOf(finds([{ frames: [1, 2] }]), noting), WARNED);
      expect(warningsIn(document)).to.deep.equal(['0 STAGED OTHER: Not read.']);
    });
  });
});
