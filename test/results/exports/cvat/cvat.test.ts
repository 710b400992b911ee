/** Exports CVAT files and parses them again. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { groupBy } from '../../../../domain/grouping.ts';
import { inXml } from '../../../../results/exports/cvat/xml.ts';
import type { DocumentDetection, DocumentMedium } from '../../../support/processes/service.ts';
import { temporaryFolder } from '../../folder.ts';
import { readCvat, seenFrames, type CvatBox, type CvatFile } from '../cvat-reader.ts';
import { allFound, type Found } from '../expected-exports.ts';
import { exportDocument, someDocument } from '../generated-documents.ts';
import { seed, seeded } from '../../../support/seed.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 20) };

const pointsOf = ({ x, y, width, height }: DocumentDetection) => [x, y, x + width, y + height];
const hasBox = ({ detection: { width, height } }: Found) => width > 0 && height > 0;
const foundIn = (document: Parameters<typeof allFound>[0], { mediaId }: DocumentMedium) =>
  allFound(document).filter(({ medium }) => medium.mediaId === mediaId);
const tracksOf = (found: readonly Found[]) => [...groupBy(found, ({ track }) => track).values()];

/** Every attribute must be declared by its label. */
function expectDeclared(file: CvatFile, boxes: readonly CvatBox[]): void {
  for (const { label, attributes } of boxes)
    expect([...(file.labels.get(label)?.keys() ?? [])]).to.include.members([...attributes.keys()]);
}

function expectProperties({ attributes }: CvatBox, { track, detection }: Found, isFirst = true): void {
  expect(Number(attributes.get('CONFIDENCE'))).to.equal(detection.confidence);
  if (isFirst) expect(attributes.get('TRACK_ID')).to.equal(inXml(track.id));
  const name = 'TEXT';
  const own = detection.detectionProperties[name];
  if (own !== undefined) expect(attributes.get(name)).to.equal(inXml(own));
}

describe('An export for CVAT', () => {
  const inFolder = temporaryFolder();
  const file = () => inFolder('document.json');
  const cvat = async (document: unknown, media?: number) =>
    exportDocument(document, {
      format: 'cvat',
      file: file(),
      ...(media === undefined ? {} : { mediaId: media }),
    });

  it(`shows each track of a video in the frames in which it was found, and in no other ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        for (const medium of document.media.filter(({ mediaType }) => mediaType === 'VIDEO')) {
          const read = readCvat(await cvat(document, medium.mediaId));
          expect([read.version, read.size]).to.deep.equal(['1.1', medium['length']]);
          const expected = tracksOf(foundIn(document, medium).filter(hasBox));
          expect(read.tracks).to.have.lengthOf(expected.length);
          for (const [at, found] of expected.entries()) {
            const track = read.tracks[at]!;
            const places = found.map(
              ({ detection }) => [detection.offsetFrame, pointsOf(detection)] as const,
            );
            expect([...seenFrames(track, read.size)]).to.deep.equal(places);
            expectDeclared(read, track.boxes);
            const shown = track.boxes.filter(({ outside }) => !outside);
            for (const [n, box] of shown.entries()) expectProperties(box, found[n]!, n === 0);
          }
        }
      }),
      runs,
    ));

  it(`has all pictures of a job in a file, what has no box as a tag ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const media = document.media.filter(({ mediaType }) => mediaType === 'IMAGE');
        fc.pre(media.length > 0);
        const read = readCvat(await cvat({ ...document, media }));
        expect(read.images.map(({ id, size }) => [id, size])).to.deep.equal(
          media.map((_, id) => [id, [640, 480]]),
        );
        expect(new Set(read.images.map(({ name }) => name)).size).to.equal(media.length);
        for (const [at, medium] of media.entries()) {
          const expected = foundIn(document, medium);
          const { boxes } = read.images[at]!;
          expect(boxes.map(({ points }) => points)).to.deep.equal(
            expected.map((found) => (hasBox(found) ? pointsOf(found.detection) : undefined)),
          );
          expectDeclared(read, boxes);
          for (const [n, box] of boxes.entries()) expectProperties(box, expected[n]!);
        }
      }),
      runs,
    ));

  describe('says in a sentence', () => {
    const medium = (mediaId: number, mediaType: string) => ({ mediaId, mediaType, path: 'a', output: {} });
    const reason = (types: readonly string[], media?: number) =>
      cvat({ media: types.map((type, at) => medium(at + 1, type)) }, media).catch(
        (error: Error) => error.message,
      );

    it('which medium it wants to be named, where there are several', async () => {
      expect(await reason(['VIDEO', 'AUDIO', 'VIDEO'])).to.equal(
        'A cvat file has one video, or only pictures. Choose the video with media; this job has: 1, 3.',
      );
      expect(await reason(['VIDEO', 'IMAGE'])).to.include('Choose the video with media; this job has: 1.');
      for (const media of [1, 2]) expect(await reason(['VIDEO', 'IMAGE'], media)).to.include('<annotations>');
      expect(await reason(['AUDIO', 'VIDEO'])).to.include('<annotations>');
    });

    it('that there is nothing to be seen', async () => {
      expect(await reason(['AUDIO', 'UNKNOWN'])).to.equal(
        'The job has neither videos nor pictures, and cvat supports no other media.',
      );
      expect(await reason(['AUDIO', 'VIDEO'], 1)).to.equal(
        'Medium 1 is neither a video nor a picture, and cvat supports no other media.',
      );
    });
  });

  it('tells of boxes as a viewer shows them, where the picture is stored lying on its side', async () => {
    const detection = {
      ...{ offsetFrame: 0, offsetTime: 0, x: 10, y: 470, width: 100, height: 50, confidence: 1 },
      detectionProperties: { ROTATION: '90' },
    };
    const track = {
      id: 't',
      type: 'FACE',
      trackProperties: {},
      exemplar: detection,
      detections: [detection],
    };
    const document = {
      media: [
        {
          ...{ mediaId: 1, path: 'file:///a.jpg', mediaType: 'IMAGE', length: 1 },
          mediaMetadata: { FRAME_WIDTH: '640', FRAME_HEIGHT: '480', ROTATION: '90' },
          output: { FACE: [{ source: 'A', algorithm: 'F', tracks: [track] }] },
        },
      ],
    };
    const [image] = readCvat(await cvat(document)).images;
    expect(image).to.deep.include({ name: 'a.jpg', size: [480, 640] });
    expect(image!.boxes[0]!.points).to.deep.equal([10, 10, 110, 60]);
  });
});
