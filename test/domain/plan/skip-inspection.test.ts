import { expect } from 'chai';
import { mediaTypeOf } from '../../../domain/plan/media-types.ts';
import { factsFromMetadata, type SkipResult } from '../../../domain/plan/skip-inspection.ts';
import { timeOfFrame } from '../../../domain/frames/frame-times.ts';
import type { MediumFacts } from '../../../domain/types.ts';
import { vectors } from '../support.ts';

const video = {
  MIME_TYPE: 'video/mp4',
  MEDIA_HASH: 'H',
  FRAME_WIDTH: '640',
  FRAME_HEIGHT: '480',
  FRAME_COUNT: '90',
  FPS: '30',
  DURATION: '3000',
};

function facts(result: SkipResult): MediumFacts {
  if ('insufficient' in result) throw new Error('inspected');
  return result.facts;
}

describe('Inspection that the metadata of a request make superfluous', () => {
  for (const { metadata, skipped, type, length, warning } of vectors.skipInspection.cases) {
    const keys = Object.entries(metadata).slice(2).join(' ');
    it(`is ${skipped ? 'skipped' : 'done'} for ${metadata['MIME_TYPE']} with ${keys} when skipping is insisted on`, () => {
      const result = factsFromMetadata(metadata, { insist: true });
      expect(!('insufficient' in result)).to.equal(skipped);
      if (skipped) {
        const { mediaType, length: frames, sha256, mimeType } = facts(result);
        expect({ mediaType, frames, sha256, mimeType }).to.deep.equal({
          mediaType: type,
          frames: length,
          sha256: 'H',
          mimeType: metadata['MIME_TYPE'],
        });
      }
      const expected = warning?.split('; ') ?? (skipped ? [] : ['']);
      expect(result.warnings).to.have.length(expected.length);
      for (const [index, start] of expected.entries()) {
        expect(result.warnings[index]?.message.startsWith(start)).to.equal(true);
        expect(result.warnings[index]?.code).to.equal('MEDIA_INSPECTION');
      }
    });
  }

  it('is skipped without being asked for when all is given', () => {
    expect(facts(factsFromMetadata(video))).to.include({ mediaType: 'VIDEO', length: 90 });
  });
  it('is done without a word when something is missing', () => {
    for (const missing of Object.keys(video)) {
      const metadata = Object.fromEntries(Object.entries(video).filter(([name]) => name !== missing));
      expect(factsFromMetadata(metadata)).to.deep.equal({ insufficient: true, warnings: [] });
    }
  });
  it('is done with a warning when something given is wrong', () => {
    const wrong = {
      FPS: 'fast',
      FRAME_COUNT: '9.5',
      ROTATION: '360',
      HORIZONTAL_FLIP: 'yes',
      DURATION: '-1',
    };
    for (const [name, value] of Object.entries(wrong)) {
      const result = factsFromMetadata({ ...video, [name]: value });
      expect('insufficient' in result, name).to.equal(true);
      expect(result.warnings[0]?.message).to.match(/ Cannot skip media inspection\.$/);
    }
  });
  it('leaves the times of frames to be estimated from the rate', () => {
    const { frameTimes } = facts(factsFromMetadata({ ...video, HAS_CONSTANT_FRAME_RATE: 'true' }));
    expect(frameTimes).to.deep.equal({ fps: 30, constantRate: true, startTime: 0, estimated: true });
    for (const [frame, time] of vectors.frameTime.skippedInspectionVideo.cases) {
      if (frameTimes !== undefined) expect(timeOfFrame(frameTimes, frame)).to.equal(time);
    }
  });
});

describe('The media type', () => {
  it('follows from the MIME type', () => {
    const types = [
      'image/png',
      'image/gif',
      'application/x-matroska',
      'VIDEO/MP4',
      'audio/wav',
      'application/pdf',
    ];
    expect(types.map(mediaTypeOf)).to.deep.equal(['IMAGE', 'VIDEO', 'VIDEO', 'VIDEO', 'AUDIO', 'UNKNOWN']);
  });
});
