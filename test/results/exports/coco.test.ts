/** Exports COCO files and parses them again. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { isExemplar } from '../../../domain/tracks/exemplar.ts';
import { FrameSet } from '../../../results/exports/frame-set.ts';
import { cocoDocument } from '../../../http/schemas/jobs/detection-document.ts';
import { temporaryFolder } from '../folder.ts';
import { allFound, type Found } from './expected-exports.ts';
import { exportDocument, someDocument } from './generated-documents.ts';
import { seed, seeded } from '../../support/seed.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 20) };

const isTold = ({ medium, track, detection }: Found) =>
  detection.width > 0 &&
  detection.height > 0 &&
  (medium.mediaType === 'IMAGE' || detection.artifactPath !== null || isExemplar(detection, track.exemplar));

/** JSON has no negative zero. */
const asWritten = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('An export as COCO', () => {
  const inFolder = temporaryFolder();
  const read = async (document: unknown) =>
    cocoDocument.parse(
      JSON.parse(
        await exportDocument(document, { format: 'coco', file: inFolder('document.json') }),
      ) as unknown,
    );

  it(`has each detection of pictures, and what represents a track of a video, with its box ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const { images, categories, annotations } = await read(document);
        const imageOf = new Map(images.map((image) => [image.id, image]));
        const categoryOf = new Map(categories.map((category) => [category.id, category]));
        for (const list of [images, categories, annotations])
          expect(new Set(list.map(({ id }) => id)).size).to.equal(list.length);
        expect(new Set(images.map((image) => image.file_name)).size).to.equal(images.length);
        const seen = annotations.map(
          ({ image_id: image, category_id: category, bbox, score, attributes }) => ({
            medium: imageOf.get(image)?.media_id,
            frame: imageOf.get(image)?.frame,
            size: [imageOf.get(image)?.width, imageOf.get(image)?.height],
            type: categoryOf.get(category)?.supercategory,
            name: categoryOf.get(category)?.name,
            ...{ bbox, score },
            of: [attributes['track_id'], attributes['track_index'], attributes['offset_ms']],
          }),
        );
        const expected = allFound(document)
          .filter(isTold)
          .map(({ medium, track, detection, key }) => ({
            medium: medium.mediaId,
            frame: detection.offsetFrame,
            size: [640, 480],
            type: key,
            name:
              (
                track.trackProperties['CLASSIFICATION'] ??
                track.exemplar.detectionProperties['CLASSIFICATION'] ??
                ''
              ).trim() ||
              key.trim() ||
              'UNKNOWN',
            bbox: [detection.x, detection.y, detection.width, detection.height],
            score: detection.confidence < 0 ? undefined : detection.confidence,
            of: [track.id, track.index, detection.offsetTime],
          }));
        expect(seen).to.deep.equal(
          expected.map((one) => ({
            ...one,
            ...asWritten({ bbox: one.bbox, of: one.of }),
            score: one.score === 0 ? 0 : one.score,
          })),
        );
        const pictures = document.media.filter(({ mediaType }) => mediaType === 'IMAGE');
        expect(images.map((image) => image.media_id)).to.include.members(
          pictures.map(({ mediaId }) => mediaId),
        );
      }),
      runs,
    ));

  it('numbers the frames of videos of any length, each once and in order', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(200_000), fc.nat(2 ** 40))), (frames) => {
        const set = new FrameSet();
        for (const frame of frames) set.add(frame);
        expect([...set.inOrder()]).to.deep.equal([...new Set(frames)].toSorted((a, b) => a - b));
      }),
      { seed, numRuns: 20 },
    ));
});
