import { expect } from 'chai';
import { nearestNames } from '../../../domain/text/nearest-name.ts';

const QUEUES = ['TROUPE.DETECTION_FACE_REQUEST', 'TROUPE.DETECTION_MOTION_REQUEST', 'TROUPE.OUTPUT_OBJECT'];

describe('The names nearest to a name that nobody has', () => {
  const nearest = (name: string) => nearestNames(name, QUEUES);
  const [face, motion] = QUEUES;

  it('are those that differ in few letters, in any case', () => {
    expect(nearest('TROUPE.DETECTION_FACE_REQEUST')).to.deep.equal([face]);
    expect(nearest('troupe.detection_face_request')).to.deep.equal([face]);
  });

  it('are those that have the name in them, the shortest first', () => {
    expect(nearest('face')).to.deep.equal([face]);
    expect(nearest('DETECTION')).to.deep.equal([face, motion]);
  });

  it('are at most three', () =>
    expect(
      nearestNames(
        'A',
        Array.from({ length: 9 }, (_, n) => `A${n}`),
      ),
    ).to.have.lengthOf(3));

  it('are none for a name that is like no other', () => {
    for (const name of ['', '  ', 'SOMETHING ELSE', 'x'.repeat(100_000)])
      expect(nearest(name), name.slice(0, 20)).to.deep.equal([]);
  });
});
