/** TROUPE_PROP_<NAME> goes to no request whose answer could warn: the log does, at the start. */
import { expect } from 'chai';
import { sampleUri, Service } from '../support/service.ts';

describe('A property of the environment', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.here({
      LOG_LEVEL: 'warn',
      TROUPE_PROP_FRAME_INTERVL: '5',
      TROUPE_PROP_TARGET_SEGMENT_LENGTH: 'long',
      TROUPE_PROP_SEGMENT_LENGTH_SPECIFICATION: 'FRAMES',
      TROUPE_PROP_MIN_GAP_BETWEEN_SEGMENTS: '7',
      TROUPE_PROP_DETECTION_PADDING_X: '5%',
      TROUPE_PROP_DETECTION_PADDING_Y: ' ',
    });
  });
  after(() => service.close());

  it('that nobody knows, or with a value that nobody takes, is a warning in the log; jobs run all the same', async () => {
    for (const note of [
      'TROUPE_PROP_FRAME_INTERVL: the property FRAME_INTERVL is not known here (did you mean FRAME_INTERVAL?); it is passed on and has no other effect.',
      'TROUPE_PROP_TARGET_SEGMENT_LENGTH: the property TARGET_SEGMENT_LENGTH is "long", but it takes a whole number (INT); the value is passed on as it is.',
      'TROUPE_PROP_SEGMENT_LENGTH_SPECIFICATION: the property SEGMENT_LENGTH_SPECIFICATION is "FRAMES", but its values are FRAME and SECONDS; the value is passed on as it is.',
    ])
      expect(await service.logged(note)).to.include({ level: 'warn' });
    const document = await service.run({
      media: [sampleUri('astronaut.png')],
      pipelineName: 'LIGHT PIPELINE',
    });
    expect(document.status).to.equal('COMPLETE');
    expect(service.log().filter(({ message }) => message.startsWith('TROUPE_PROP_'))).to.have.length(3);
  });
});
