/** A model of one's own through the whole service: a file below MODEL_ROOTS, one job property. More of them: own-models.long.ts. */
import { expect } from 'chai';
import { detectionCodes, Service, tracksOf } from '../support/service.ts';
import { OwnModels } from './own-models-suite.ts';

describe('A model of one’s own', () => {
  let service: Service;
  let models: OwnModels;
  before(async () => {
    service = await Service.shared();
    models = await OwnModels.of(service);
  });
  after(async () => {
    await models.remove();
    await service.close();
  });

  it('finds things in images and follows them through videos, with nothing set but its name', async () => {
    for (const [medium, frames] of [
      ['hello-world.png', 1],
      ['hello.avi', undefined],
    ] as const) {
      const document = await models.run(medium, 'pets');
      const tracks = tracksOf(document.media[0], 'CLASS');
      const classes = tracks.map(({ trackProperties }) => trackProperties['CLASSIFICATION']);
      expect(classes, medium).to.have.members(['cat', 'dog']);
      const length = frames ?? Number(document.media[0]!['length']);
      for (const { startOffsetFrame, stopOffsetFrame } of tracks)
        expect([startOffsetFrame, stopOffsetFrame]).to.deep.equal([0, length - 1]);
    }
  });

  it('that ends the process it is tried in is an error of its medium that names it, after one attempt', async function () {
    if (process.arch !== 'x64') this.skip();
    await models.writeCrashing('crashes when loaded', 'loaded');
    const [document, attempts] = await models.attempted('crashes when loaded');
    expect(detectionCodes(document)).to.deep.equal(['DETECTION_NOT_INITIALIZED']);
    expect(JSON.stringify(document.media[0])).to.include(
      'The model crashes when loaded ended the process that tried it (SIGFPE)',
    );
    expect(attempts).to.deep.equal([1]);
    await models.goesOn();
  });
});
