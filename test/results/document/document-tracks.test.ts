import { expect } from 'chai';
import { appendFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { DocumentError, documentValues, type Interest } from '../../../results/document/document-scan.ts';
import { documentTracks, type DocumentTrack } from '../../../results/document/document-tracks.ts';
import { temporaryFolder } from '../../store/folder.ts';

const BOX = { x: 3, y: 4, width: 5, height: 6 };
const READING = { properties: ['TEXT', 'CLASSIFICATION'], cutAt: 100 };

const INTEREST: Interest = {
  below: {
    ROOT: { media: 'MEDIA' },
    MEDIA: { '[]': 'MEDIUM' },
    MEDIUM: { output: 'OUTPUT' },
    OUTPUT: { '*': 'ENTRIES' },
    ENTRIES: { '[]': 'ENTRY' },
    ENTRY: { tracks: 'TRACKS' },
    TRACKS: { '[]': 'TRACK' },
    TRACK: { trackProperties: 'TRACK_PROPERTIES' },
  },
  shown: { TRACK: new Set(['id', 'confidence']), TRACK_PROPERTIES: new Set(['TEXT']) },
  left: new Set(['TRACK'] as const),
  passesOver: true,
};

describe('The tracks of a detection document', () => {
  const path = temporaryFolder();
  const read = async (file: string, reading = READING) => {
    const all: DocumentTrack[] = [];
    for await (const { tracks } of documentTracks(file, reading)) all.push(...tracks);
    return all;
  };
  const writeDocument = (document: unknown, spaces?: number) => {
    const file = path('document.json');
    writeFileSync(file, JSON.stringify(document, null, spaces));
    return file;
  };
  const track = (trackProperties: object, detectionProperties: object = {}) => ({
    ...{ id: 'x', type: 'TEXT', source: 'A', confidence: 0.5 },
    ...{ startOffsetFrame: 1, stopOffsetFrame: 2, startOffsetTime: 40, stopOffsetTime: 80 },
    trackProperties,
    exemplar: {
      ...BOX,
      offsetFrame: 2,
      detectionProperties: { ...detectionProperties, ROTATION: '90' },
      id: 'no',
    },
    detections: [{ confidence: 9, detectionProperties: { TEXT: 'of a detection' } }],
  });
  const document = (...tracks: readonly object[]) => ({
    jobId: 'j',
    media: [
      { mediaId: 1, path: 'a', output: { 'NO TRACKS': [{ source: 'N', algorithm: 'M' }] } },
      {
        mediaId: 2,
        path: 'b',
        mediaType: 'UNKNOWN',
        mimeType: 'text/plain',
        output: { TEXT: [{ source: 'A', algorithm: 'B', tracks }] },
      },
    ],
    errors: [],
  });

  for (const spaces of [undefined, 2])
    it(`are told with their medium, action and properties${spaces === undefined ? '' : ', however it is written'}`, async () => {
      const found = await read(
        writeDocument(document(track({ TEXT: 'one', OTHER: 'x' }), track({}, { TEXT: 'two' })), spaces),
      );
      expect(found).to.deep.equal(
        [[['TEXT', 'one']], [['TEXT', 'two']]].map((properties) => ({
          ...{
            medium: { index: 1, mediaId: 2, uri: 'b', mediaType: 'UNKNOWN', mimeType: 'text/plain' },
            action: 'A',
            algorithm: 'B',
            id: 'x',
            type: 'TEXT',
            exemplar: { ...BOX, frame: 2, detectionProperties: { ROTATION: '90' } },
          },
          ...{ startFrame: 1, stopFrame: 2, startMs: 40, stopMs: 80, confidence: 0.5, properties },
        })),
      );
    });

  it('are the same wherever the document is cut into chunks', async () => {
    const text = JSON.stringify(document(track({ TEXT: 'a "\\' }, { TEXT: ']}' }), track({ TEXT: '{[\\' })));
    const valuesOf = async (size: number) => {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        Buffer.from(text.slice(n * size, (n + 1) * size)),
      );
      const source = Readable.from(chunks) as AsyncIterable<Buffer>;
      const all: unknown[] = [];
      for await (const some of documentValues(source, INTEREST)) all.push(...some);
      return all;
    };
    const whole = await valuesOf(text.length);
    expect(whole).to.have.length(8);
    for (let size = 1; size < 12; size++) expect(await valuesOf(size), `of ${size}`).to.deep.equal(whole);
  });

  it('have of a long property its beginning, in whole characters', async () => {
    for (let filled = 80; filled < 110; filled++) {
      const [found] = await read(
        writeDocument(document(track({ TEXT: `${'x'.repeat(filled)}"😀ä\u0001${'y'.repeat(100)}` }))),
      );
      const [, text] = found!.properties[0]!;
      expect(text.startsWith('x'.repeat(80))).to.equal(true);
      expect(text.length).to.be.at.most(100);
      expect(text.includes('\uFFFD')).to.equal(false);
    }
  });

  it('are an error where the document ends too early', async () => {
    const file = path('cut.json');
    writeFileSync(file, '{"media":[{"mediaId":1,"output":{');
    expect(await read(file).catch((error: unknown) => error)).to.be.instanceOf(DocumentError);
  });

  it('are read with bounded memory, one of half a million detections among them', async () => {
    const file = path('large.json');
    writeFileSync(
      file,
      '{"media":[{"mediaId":1,"path":"p","output":{"T":[{"source":"A","algorithm":"B","tracks":[{"id":"x","detections":[{}',
    );
    const some = ',{"offsetFrame":1,"detectionProperties":{"TEXT":"of a detection"}}'.repeat(10_000);
    for (let n = 0; n < 50; n++) appendFileSync(file, some);
    appendFileSync(file, '],"trackProperties":{"TEXT":"last"}}]}]}}]}');
    const before = process.memoryUsage().rss;
    const [found] = await read(file);
    expect(found?.properties).to.deep.equal([['TEXT', 'last']]);
    expect(process.memoryUsage().rss - before).to.be.lessThan(64 * 1024 * 1024);
  });
});
