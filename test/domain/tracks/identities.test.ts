import { expect } from 'chai';
import { mergeDetectionErrors } from '../../../domain/tracks/detection-errors.ts';
import { frameListString } from '../../../domain/frames/frame-list.ts';
import { jobIdOf, jobNumber } from '../../../domain/job/job-id.ts';
import { trackId } from '../../../domain/tracks/track-id.ts';
import { range, vectors } from '../support.ts';

describe('Frames in a message', () => {
  for (const { in: frames, out } of vectors.frameRangeString.cases) {
    it(`${frames.length} frames are written as ${out}`, () => {
      expect(frameListString(frames)).to.equal(out);
    });
  }
});

const errors = (given: (typeof vectors.frameRangeString.errorMerging)[number]['errors']) =>
  given.map(([start, stop, code, message]) => ({
    range: range([start, stop]),
    algorithm: 'FACE',
    code,
    message,
  }));

describe('Errors of sub-jobs', () => {
  for (const { errors: given, out } of vectors.frameRangeString.errorMerging) {
    it(`of a video, ${given.length} of them, are listed as ${out.join(' and ')}`, () => {
      const merged = mergeDetectionErrors(errors(given), 'VIDEO');
      expect(merged.map((error) => error.message)).to.deep.equal(out);
      expect(merged.every((error) => error.source === 'FACE')).to.equal(true);
    });
  }

  it('of other media are listed once without frames', () => {
    const given = errors([
      [0, 1, 'NETWORK_ERROR', 'no answer'],
      [0, 1, 'NETWORK_ERROR', 'no answer'],
    ]);
    expect(mergeDetectionErrors(given, 'IMAGE')).to.deep.equal([
      { source: 'FACE', code: 'NETWORK_ERROR', message: 'no answer' },
    ]);
  });
});

describe('A job id', () => {
  for (const [text, number] of Object.entries(vectors.jobId.ok)) {
    it(`"${text}" names job ${number}`, () => {
      expect(jobNumber(text)).to.equal(number);
    });
  }
  for (const text of [...vectors.jobId.bad, '-12', '12a', 'host-1.5', 'host-99999999999999999']) {
    it(`"${text}" names no job`, () => {
      expect(jobNumber(text)).to.equal(null);
    });
  }
  it('is the host, a hyphen and the number', () => {
    expect(jobIdOf('node-a', 7)).to.equal('node-a-7');
    expect(jobNumber(jobIdOf('node-a', 7))).to.equal(7);
  });
});

describe('A track id', () => {
  it('is the SHA-256 of the medium, the exemplar and the type', () => {
    const medium = 'c067e7eed23a0fe022140c30dbfa993ae720309d6567a803d111ecec739a6713';
    const exemplar = { frame: 0, x: 83, y: 209, width: 285, height: 285 };
    expect(trackId(medium, exemplar, 'FACE')).to.equal(
      'afba8b4afeb29c2d0b8453f3c1795920dd06d94c18596390a1067d706cfdb453',
    );
  });
});
