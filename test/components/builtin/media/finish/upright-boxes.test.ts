import { expect } from 'chai';
import { uprightBoxes } from '../../../../../components/builtin/media/finish/upright-boxes.ts';
import { frameTransform } from '../../../../../media/picture/transform.ts';
import type { Properties } from '../../../../../domain/types.ts';

const SIZE = { width: 640, height: 480 };
const FOUND = { x: 30, y: 40, width: 50, height: 70 };

interface Told {
  readonly exemplar: { readonly uprightBox?: object };
  readonly detections: readonly { readonly uprightBox?: object }[];
}

/** The upright box in the document for a box in stored pixels. */
function onPart(box: object, properties: Properties, metadata: Properties): Told {
  const detection = { ...box, detectionProperties: properties };
  const line = JSON.stringify({ exemplar: detection, detections: [detection, detection] });
  return JSON.parse(uprightBoxes({ FRAME_WIDTH: '640', FRAME_HEIGHT: '480', ...metadata })(line)) as Told;
}

describe('The upright box of a detection', () => {
  for (const rotation of [0, 90, 180, 270])
    for (const flip of [false, true])
      it(`is where its detector saw it in a medium turned by ${rotation}${flip ? ' and mirrored' : ''}`, () => {
        const metadata = { ROTATION: String(rotation), HORIZONTAL_FLIP: flip ? 'TRUE' : 'FALSE' };
        const { toMedium } = frameTransform({ AUTO_ROTATE: 'TRUE', AUTO_FLIP: 'TRUE' }, metadata, SIZE);
        const stored = toMedium(FOUND);
        const properties = {
          ROTATION: String(stored.rotation),
          HORIZONTAL_FLIP: stored.flip ? 'TRUE' : 'FALSE',
        };
        const { exemplar, detections } = onPart(stored, properties, metadata);
        const turned = rotation !== 0 || flip;
        for (const one of [exemplar, ...detections])
          expect(one.uprightBox).to.deep.equal(turned ? FOUND : undefined);
      });

  it('is the smallest one around a detection that slants in a medium that does not', () => {
    const { exemplar } = onPart({ x: 116, y: 218, width: 100, height: 40 }, { ROTATION: '20' }, {});
    expect(exemplar.uprightBox).to.deep.equal({ x: 116, y: 183, width: 108, height: 73 });
  });

  it('is none for what has no place, and for a medium whose size nobody knows', () => {
    const nowhere = { x: 0, y: 0, width: 0, height: 0 };
    expect(onPart(nowhere, {}, { ROTATION: '90' }).exemplar).to.not.have.property('uprightBox');
    expect(onPart(FOUND, {}, { ROTATION: '90', FRAME_WIDTH: '' }).exemplar).to.not.have.property(
      'uprightBox',
    );
  });
});
