/** Media that are stored lying: where their faces are in the stored picture, and in the picture as a viewer shows it. */
import { expect } from 'chai';
import { join } from 'node:path';
import { iou, type Box } from '../../pipeline/geometry.ts';
import { Service, tracksOf, type DocumentDetection, type DocumentMedium } from '../support/service.ts';
import { PORTRAIT, turnedPicture, turnedVideo, uprightPicture } from '../support/turned.ts';
import { mediumOf, uriOf } from './results.ts';

describe('Faces of media that are stored lying', () => {
  let service: Service;
  const names = ['upright.png', 'lying.jpg', 'lying.mp4'];
  before(async () => {
    service = await Service.started();
    const path = (name: string) => join(service.mediaDir, name);
    await uprightPicture(path('upright.png'));
    await turnedPicture(path('lying.jpg'));
    await turnedVideo(path('lying.mp4'), 3);
  });
  after(() => service.close());

  const run = (properties: Record<string, string>) =>
    service.run({
      media: names.map((name) => uriOf(service, name)),
      pipelineName: 'FACE DETECTION PIPELINE',
      jobProperties: properties,
    });
  const faceOf = (medium: DocumentMedium) => {
    const [track, ...others] = tracksOf(medium, 'FACE');
    expect(others).to.deep.equal([]);
    return track!;
  };

  it('are told in stored pixels with their rotation, and with OUTPUT_DETAILS also as a viewer shows them', async () => {
    const document = await run({ OUTPUT_DETAILS: 'TRUE' });
    expect(document.status).to.equal('COMPLETE');
    const { exemplar: face } = faceOf(mediumOf(document, 'upright.png'));
    expect(face).to.not.have.property('uprightBox');
    for (const name of ['lying.jpg', 'lying.mp4']) {
      const medium = mediumOf(document, name);
      const { FRAME_WIDTH, FRAME_HEIGHT } = medium.mediaMetadata;
      expect([FRAME_WIDTH, FRAME_HEIGHT]).to.deep.equal(['512', '400']);
      const { exemplar, detections } = faceOf(medium);
      expect(detections).to.have.length(name === 'lying.mp4' ? 3 : 1);
      for (const detection of [exemplar, ...detections]) {
        expect(iou(uprightBoxOf(detection), face), `the face of ${name}`).to.be.greaterThan(0.8);
        expect(detection.detectionProperties['ROTATION']).to.equal('90');
        // Its top left corner as a viewer sees it: what is y there is x in the stored picture, from the right what is x.
        const { x, y, width, height } = uprightBoxOf(detection);
        expect([detection.x, detection.y]).to.deep.equal([y, PORTRAIT.width - x]);
        expect([detection.width, detection.height]).to.deep.equal([width, height]);
      }
    }
  });

  it('are told as the specification has them otherwise', async () => {
    const document = await run({});
    for (const name of names)
      expect(faceOf(mediumOf(document, name)).exemplar).to.not.have.property('uprightBox');
  });
});

function uprightBoxOf(detection: DocumentDetection): Box {
  const { uprightBox } = detection as { uprightBox?: Box };
  if (uprightBox === undefined) throw new Error('The detection has no upright box.');
  return uprightBox;
}
