/** TROUPE_PROP_<NAME>: no request sets these properties, so the server logs their warnings at its start. */
import { expect } from 'chai';
import type { Properties } from '../../../domain/types.ts';
import { sampleUri, Service, tracksOf, type JobRequest } from '../../support/processes/service.ts';

const PICTURE = sampleUri('hello-world.png');

describe('A property of the environment', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.here({
      LOG_LEVEL: 'warn',
      TROUPE_PROP_CAPTION: 'of the environment',
      TROUPE_PROP_ARTIFACT_EXTRACTION_POLICY: 'NONE',
      TROUPE_PROP_FRAME_INTERVL: '5',
      TROUPE_PROP_TARGET_SEGMENT_LENGTH: 'long',
      TROUPE_PROP_SEGMENT_LENGTH_SPECIFICATION: 'FRAMES',
      TROUPE_PROP_MIN_GAP_BETWEEN_SEGMENTS: '7',
      TROUPE_PROP_DETECTION_PADDING_X: '5%',
      TROUPE_PROP_DETECTION_PADDING_Y: ' ',
    });
  });
  after(() => service.close());

  it('that is unknown or has an invalid value is a warning in the log; jobs run all the same', async () => {
    for (const note of [
      'TROUPE_PROP_FRAME_INTERVL: the property FRAME_INTERVL is not known here (did you mean FRAME_INTERVAL?); it is passed on and has no other effect.',
      'TROUPE_PROP_TARGET_SEGMENT_LENGTH: the property TARGET_SEGMENT_LENGTH is "long", but it takes a whole number (INT); the value is passed on as it is.',
      'TROUPE_PROP_SEGMENT_LENGTH_SPECIFICATION: the property SEGMENT_LENGTH_SPECIFICATION is "FRAMES", but its values are FRAME and SECONDS; the value is passed on as it is.',
    ])
      expect(await service.waitForLog(note)).to.include({ level: 'warn' });
    const document = await service.run({
      media: [PICTURE],
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: { OUTPUT_DETAILS: 'TRUE' },
    });
    expect(document.status).to.equal('COMPLETE');
    expect(document['environmentVariableProperties']).to.include({ CAPTION: 'of the environment' });
    const [effective] = document['effectiveProperties'] as readonly { properties: Properties }[];
    expect(effective?.properties).to.include({ CAPTION: 'of the environment' });
    expect(
      service.log().filter(({ message }) => message.startsWith('TROUPE_PROP_')),
      'CAPTION is not known either',
    ).to.have.length(4);
  });

  it('lets environment, media, algorithm, job, action and default properties win in this order', async () => {
    const labelled = { pipelineName: 'LABELLED LIGHT PIPELINE' };
    const job = { jobProperties: { LABEL: 'of the job', CAPTION: 'of the job' } };
    const algorithm = {
      algorithmProperties: {
        light: { LABEL: 'of the job for the algorithm' },
        TEXT: { LABEL: 'of another' },
      },
    };
    const medium = {
      mediaUri: PICTURE,
      properties: { LABEL: 'of the medium', CAPTION: 'of the medium' },
    };
    const labels = async (request: JobRequest) =>
      tracksOf((await service.run(request)).media[0], 'LIGHT')[0]?.trackProperties;
    const CAPTION = 'of the environment';
    expect(await labels({ media: [PICTURE], pipelineName: 'LIGHT PIPELINE' })).to.deep.equal({
      LABEL: 'of the algorithm',
      CAPTION,
    });
    expect(await labels({ media: [PICTURE], ...labelled })).to.deep.equal({
      LABEL: 'of the action',
      CAPTION,
    });
    expect(await labels({ media: [PICTURE], ...labelled, ...job })).to.deep.equal({
      LABEL: 'of the job',
      CAPTION,
    });
    expect(await labels({ media: [PICTURE], ...labelled, ...job, ...algorithm })).to.deep.equal({
      LABEL: 'of the job for the algorithm',
      CAPTION,
    });
    expect(await labels({ media: [medium], ...labelled, ...job, ...algorithm })).to.deep.equal({
      LABEL: 'of the medium',
      CAPTION,
    });
  });
});
