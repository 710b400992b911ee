/** FACE EMBEDDING PIPELINE, run by the whole service, and the setting FACE_EMBEDDING. */
import { expect } from 'chai';
import { sampleUri, Service, tracksOf } from '../../support/processes/service.ts';

const JOB = {
  media: [sampleUri('astronaut.png'), sampleUri('face_move.mp4')],
  pipelineName: 'FACE EMBEDDING PIPELINE',
  jobProperties: { FACES_PER_TRACK: '2' },
};

describe('FACE EMBEDDING PIPELINE', function () {
  this.timeout(120_000);
  let service: Service;
  before(async () => {
    service = new Service();
    await service.startHere({ FACE_EMBEDDING: 'true' });
  });
  after(() => service.close());

  it('adds vectors to the tracks of faces in images and videos', async () => {
    const document = await service.run(JOB);
    expect(document.status, JSON.stringify(document.errors)).to.equal('COMPLETE');
    for (const medium of document.media) {
      const tracks = tracksOf(medium, 'FACE');
      expect(tracks).to.have.length(1);
      const { FEATURE, FEATURE_MODEL } = tracks[0]!.trackProperties;
      expect(Buffer.from(FEATURE!, 'base64')).to.have.length(128 * 4);
      expect(FEATURE_MODEL).to.equal('face-recognition@1');
    }
    const [track] = tracksOf(document.media[1], 'FACE');
    const withVectors = track!.detections.filter(
      ({ detectionProperties }) => 'FEATURE' in detectionProperties,
    );
    expect([track!.detections.length, withVectors.length]).to.deep.equal([80, 2]);
  });

  it('is not offered any longer after a restart without FACE_EMBEDDING', async () => {
    await service.stop();
    await service.startHere({ FACE_EMBEDDING: 'false' });
    const refused = await service.ask('POST', '/rest/jobs', {
      ...JOB,
      media: JOB.media.map((mediaUri) => ({ mediaUri })),
    });
    expect(refused.status).to.equal(400);
    expect(JSON.stringify(refused.body)).to.include('FACE EMBEDDING PIPELINE');
    const { body } = await service.ask('GET', '/rest/nodes/services');
    expect(Object.keys(body as object)).to.include('TroupeFaceDetection');
    expect(Object.keys(body as object)).to.not.include('TroupeFaceEmbedding');
    await service.stop();
    await service.startHere({ FACE_EMBEDDING: 'true' });
  });
});
