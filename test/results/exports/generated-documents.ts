/** Generates documents of every kind, and computes their content from the parsed JSON. */
import { writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { convertDocuments, type Wanted } from '../../../results/exports/convert.ts';
import type { PictureSource } from '../../../results/exports/asked-pictures.ts';
import type { DetectionDocument, DocumentDetection, DocumentTrack } from '../../support/processes/service.ts';
import { anyText } from '../../support/any-text.ts';

/** Texts that a format may handle wrongly, such as quotes, markup and control characters. */
const TROUBLE = [
  'a "quoted" \'word\'',
  ']]>',
  '<![CDATA[ & ]]>',
  '00:00:01.000 --> 00:00:02.000',
  '<b>bold</b> {\\an8} &amp;',
  'two\n\nparagraphs\r\nand\ra line',
  '\u{1f600}\u{1f468}\u200d\u{1f469}',
  '\0\x01\x1f\x7f\x85\u2028\ufffe\ufeff',
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\u001b[31mred\u009b0m',
  "'quoted",
  ',,";',
  '\ud800',
  ' ',
  '',
];
export const someText = fc.oneof(fc.constantFrom(...TROUBLE), anyText(12));
const properties = fc.dictionary(
  fc.oneof(fc.constantFrom('TEXT', 'CLASSIFICATION', 'a b', 'ROTATION '), someText),
  someText,
  { maxKeys: 3 },
);
const pixels = fc.integer({ min: -50, max: 2_000 });
const confidence = fc.oneof(fc.constant(-1), fc.double({ min: 0, max: 1, noNaN: true }));

const detection = (offsetFrame: number) =>
  fc.record({
    offsetFrame: fc.constant(offsetFrame),
    offsetTime: fc.constant(offsetFrame * 40),
    x: pixels,
    y: pixels,
    width: fc.nat(500),
    height: fc.nat(500),
    confidence,
    detectionProperties: properties,
    artifactExtractionStatus: fc.constantFrom('NOT_ATTEMPTED', 'COMPLETED'),
    artifactPath: fc.option(someText),
  });

const FRAMES = 60;
const framesOf = (isImage: boolean) =>
  isImage
    ? fc.constant([0])
    : fc
        .uniqueArray(fc.nat(FRAMES - 1), { minLength: 1, maxLength: 6 })
        .map((frames) => frames.toSorted((a, b) => a - b));

const trackOf = (type: string, isImage: boolean) =>
  framesOf(isImage)
    .chain((frames) =>
      fc.tuple(
        fc.tuple(...frames.map(detection)),
        fc.nat(frames.length - 1),
        fc.record({ id: someText, confidence, trackProperties: properties, source: someText }),
      ),
    )
    .map(([detections, best, of]) => ({
      id: of.id,
      startOffsetFrame: detections[0]!.offsetFrame,
      stopOffsetFrame: detections.at(-1)!.offsetFrame,
      startOffsetTime: detections[0]!.offsetTime,
      stopOffsetTime: detections.at(-1)!.offsetTime,
      type,
      source: of.source,
      confidence: of.confidence,
      trackProperties: of.trackProperties,
      exemplar: detections[best]!,
      detections: detections as readonly DocumentDetection[],
    }));

const medium = fc.constantFrom('VIDEO', 'IMAGE').chain((mediaType) => {
  const isImage = mediaType === 'IMAGE';
  const entry = (type: string) =>
    fc.record({
      source: someText,
      algorithm: someText,
      tracks: fc.array(trackOf(type, isImage), { maxLength: 3 }),
    });
  const output = fc
    .uniqueArray(fc.oneof(fc.constantFrom('FACE', 'TEXT', 'SPEECH', 'SCENE', 'CLASS'), someText), {
      maxLength: 3,
    })
    .chain((types) =>
      fc.tuple(...types.map((type) => fc.tuple(fc.constant(type), fc.array(entry(type), { maxLength: 2 })))),
    )
    .map((entries) => Object.fromEntries(entries));
  return fc.record({
    path: fc.oneof(fc.constant('file:///media/a%20b.mp4'), someText),
    sha256: fc.constant('c067'),
    mimeType: fc.constant(isImage ? 'image/png' : 'video/mp4'),
    mediaType: fc.constant(mediaType),
    length: fc.constant(isImage ? 1 : FRAMES),
    mediaMetadata: fc.constant({ FRAME_WIDTH: '640', FRAME_HEIGHT: '480', FPS: '25' }),
    mediaProperties: properties,
    status: fc.constant('COMPLETE'),
    output,
  });
});

export const someDocument: fc.Arbitrary<DetectionDocument> = fc
  .record({
    pipeline: fc.record({
      tasks: fc.array(
        fc.record({ name: someText, actions: fc.array(fc.record({ name: someText }), { maxLength: 2 }) }),
        { maxLength: 3 },
      ),
    }),
    media: fc.array(medium, { minLength: 1, maxLength: 3 }),
  })
  .map(({ pipeline, media }) => ({
    jobId: 'host-7',
    pipeline,
    status: 'COMPLETE',
    media: media.map((one, at) => ({
      mediaId: 30 + at,
      parentMediaId: at === 2 ? 30 : -1,
      ...one,
      output: Object.fromEntries(
        Object.entries(one.output).map(([type, entries]) => [type, entries.map(numberTracks)]),
      ),
      detectionProcessingErrors: {},
      markupResult: null,
    })),
    errors: [{ details: [{ source: 'S', code: 'C', message: '"media":[{' }] }],
    warnings: [],
  }));

const numberTracks = <T extends { readonly tracks: readonly DocumentTrack[] }>({ tracks, ...entry }: T) => ({
  ...entry,
  tracks: tracks.map((track, index) => ({ index, ...track })),
});

interface ExportedDocument extends Wanted {
  readonly file: string;
}

/** Exports a document as bytes. It is first written to `file`, with or without white space. */
export async function exportBytes(
  document: unknown,
  { file, ...wanted }: ExportedDocument,
  { blanks, pictures }: { readonly blanks?: number | undefined; readonly pictures?: PictureSource } = {},
): Promise<Buffer> {
  writeFileSync(file, JSON.stringify(document, null, blanks));
  const conversion = { ...wanted, documents: [{ file, job: 7 }], moved: [] };
  const pieces: Buffer[] = [];
  for await (const piece of convertDocuments(conversion, pictures)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** The same as text. Lone surrogates are kept. */
export async function exportDocument(
  document: unknown,
  { file, ...wanted }: ExportedDocument,
  blanks?: number,
): Promise<string> {
  writeFileSync(file, JSON.stringify(document, null, blanks));
  let text = '';
  for await (const piece of convertDocuments({ ...wanted, documents: [{ file, job: 7 }], moved: [] }))
    text += String(piece);
  return text;
}
