/**
 * User-supplied models that hang, that end their component, or that look inside the detections of another
 * detector.
 */
import { expect } from 'chai';
import { endlessModel } from '../../support/media/onnx-model.ts';
import { detectionCodes, sampleUri, Service, tracksOf } from '../../support/processes/service.ts';
import { OwnModels } from './own-models-suite.ts';

describe('A model of one’s own', () => {
  let service: Service;
  let models: OwnModels;
  before(async () => {
    // A model that never returns computes until this timeout.
    service = await Service.here({ MODEL_CHECK_MS: '1500' });
    models = await OwnModels.of(service);
  });
  after(() => service.close());

  it('looks at the regions that a task before it found', async () => {
    const document = await service.run({
      media: [sampleUri('astronaut.png')],
      // The test network finds the same objects in every picture, so it would also find them in every tile.
      jobProperties: { MODEL_NAME: 'pets.onnx', TILE_SIZE: '0' },
      pipelineDefinition: {
        pipeline: ['FACE DETECTION TASK', 'OWN'],
        tasks: [{ name: 'OWN', actions: ['OWN'] }],
        actions: [
          { name: 'OWN', algorithm: 'ONNX', properties: [{ name: 'FEED_FORWARD_TYPE', value: 'REGION' }] },
        ],
      },
    });
    const [face] = tracksOf(document.media[0], 'FACE');
    const found = tracksOf(document.media[0], 'CLASS');
    expect(found).to.have.length(2);
    const { x, width } = face!.exemplar;
    for (const { exemplar } of found) expect(exemplar.x).to.be.within(x, x + width - exemplar.width);
  });

  it('that never ends is an error of its medium, after one attempt; the component continues', async () => {
    await models.write('endless', endlessModel({ name: 'images', dims: [1, 3, 8, 8] }));
    const [document, attempts] = await models.runWithAttempts('endless');
    expect(JSON.stringify(document.media[0])).to.include(
      'The model endless had not answered within 1500 ms (MODEL_CHECK_MS)',
    );
    expect(attempts).to.deep.equal([1]);
    await models.goesOn();
  });

  it('that ends the component only at a picture fails it after three attempts, and nothing else', async function () {
    if (process.arch !== 'x64') this.skip();
    await models.writeCrashing('crashes when not black', 'not black');
    const [document, attempts] = await models.runWithAttempts('crashes when not black');
    expect(detectionCodes(document)).to.deep.equal(['DEAD_LETTER']);
    expect(attempts).to.deep.equal([1, 2, 3]);
    await models.goesOn();
  });
});
