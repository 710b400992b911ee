/**
 * MAX_RESULT_BYTES limits the answers of detectors. The document that the server makes of them may be larger.
 */
import { expect } from 'chai';
import { detectionCodes, sampleUri, Service, tracksOf } from '../../support/processes/service.ts';

const LIMIT = 1_024;

describe('A limit on the results of detectors', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ MAX_RESULT_BYTES: String(LIMIT), SUB_JOB_ATTEMPTS: '1' });
  });
  after(() => service.close());

  /** @param letters length of a property of the track */
  const run = (letters: number) =>
    service.run({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: { LABEL: 'x'.repeat(letters), ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' },
    });

  it('does not apply to what the server makes of a result that was accepted', async () => {
    const letters = LIMIT - 300;
    const document = await run(letters);
    expect(detectionCodes(document)).to.deep.equal([]);
    expect(document.status).to.equal('COMPLETE');
    const [track] = tracksOf(document.media[0], 'LIGHT');
    expect(track?.trackProperties['LABEL']).to.have.length(letters);
    expect(JSON.stringify(document).length).to.be.greaterThan(LIMIT);
  });

  it('refuses a longer answer of a detector', async () => {
    const document = await run(LIMIT);
    expect(detectionCodes(document)).to.deep.equal(['DEAD_LETTER']);
    expect(JSON.stringify(document)).to.include(`it has more than ${LIMIT} bytes`);
  });
});
