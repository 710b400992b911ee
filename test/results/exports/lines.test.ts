/** Exports with one line per detection, parsed again. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { temporaryFolder } from '../folder.ts';
import { readCsv } from './csv-reader.ts';
import { readCvat, seenFrames } from './cvat-reader.ts';
import { allFound, lineOf } from './expected-exports.ts';
import { exportDocument, someDocument } from './generated-documents.ts';
import { seed, seeded } from '../../support/seed.ts';

type Line = ReturnType<ReturnType<typeof lineOf>>;

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 20) };

/** JSON has no negative zero. */
const asWritten = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const encodable = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text));

describe('An export with a line a detection', () => {
  const inFolder = temporaryFolder();
  const file = () => inFolder('document.json');

  it(`tells as NDJSON all that the document tells of each detection ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, fc.constantFrom(0, 1), async (document, blanks) => {
        const text = await exportDocument(document, { format: 'ndjson', file: file() }, blanks);
        const lines = text.split('\n');
        expect(lines.pop()).to.equal('');
        const expected = asWritten(allFound(document).map(lineOf(document)));
        expect(lines.map((line) => JSON.parse(line) as unknown)).to.deep.equal(expected);
      }),
      runs,
    ));

  it(`tells the same as CSV, with one apostrophe before what a spreadsheet would compute ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const text = encodable(await exportDocument(document, { format: 'csv', file: file() }));
        const [header, ...rows] = readCsv(text);
        const names = header!.map((name) =>
          name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        );
        for (const row of rows)
          for (const [at, cell] of row.entries())
            if (!NUMBERS.has(names[at]!)) expect(cell).to.not.match(/^[=+\-@\t\r\n＝＋－＠]/);
        const lines = rows.map((row) =>
          Object.fromEntries(row.map((cell, at) => [names[at]!, read(names[at]!, cell)] as const)),
        );
        const expected = asWritten(allFound(document).map(lineOf(document))).map((line) => ({
          ...line,
          ...Object.fromEntries(TEXTS.map((name) => [name, encodable(line[name] ?? '')])),
          ...Object.fromEntries(WORDS.map((name) => [name.toLowerCase(), encodable(wordOf(line, name))])),
        }));
        expect(lines).to.deep.equal(expected);
      }),
      runs,
    ));

  const NUMBERS = new Set(
    'mediaId parentMediaId trackIndex trackConfidence trackStartMs trackStopMs frame offsetMs x y width height uprightX uprightY uprightWidth uprightHeight confidence'.split(
      ' ',
    ),
  );
  const JSONS = new Set(['trackProperties', 'properties', 'isExemplar']);
  const TEXTS = [
    'jobId',
    'medium',
    'mediaType',
    'task',
    'action',
    'algorithm',
    'type',
    'trackId',
    'artifact',
  ] as const;
  const WORDS = ['CLASSIFICATION', 'TEXT', 'TRANSCRIPT'];
  const wordOf = (line: Pick<Line, 'properties' | 'trackProperties'>, name: string) =>
    line.properties[name] ?? line.trackProperties[name] ?? '';
  const read = (name: string, cell: string): unknown => {
    if (NUMBERS.has(name)) return Number(cell);
    return JSONS.has(name) ? (JSON.parse(cell) as unknown) : cell.replace(/^'/, '');
  };

  const detection = (properties: object) => ({
    ...{ offsetFrame: 3, offsetTime: 120, x: 105, y: 470, width: 80, height: 100, confidence: 0.9 },
    detectionProperties: properties,
  });
  /** A portrait photo that a phone has stored sideways. */
  const portrait = (trackProperties: object, properties: object, mediaMetadata: object) => {
    const one = detection(properties);
    const track = { id: 'a', index: 0, type: 'FACE', trackProperties, exemplar: one, detections: [one] };
    const output = { FACE: [{ source: 'A', algorithm: 'F', tracks: [track] }] };
    const metadata = { FRAME_WIDTH: '480', FRAME_HEIGHT: '640', ...mediaMetadata };
    return { media: [{ mediaId: 1, mediaType: 'VIDEO', mediaMetadata: metadata, output }] };
  };

  it('has the box in the turned picture besides the stored one, the same as CVAT', async () => {
    const turned = { ROTATION: '90' };
    const document = portrait({}, turned, turned);
    const line = JSON.parse(await exportDocument(document, { format: 'ndjson', file: file() })) as Line;
    expect([line.x, line.y, line.width, line.height]).to.deep.equal([105, 470, 80, 100]);
    const upright = [line.uprightX, line.uprightY, line.uprightWidth, line.uprightHeight];
    expect(upright).to.deep.equal([170, 105, 80, 100]);
    const { tracks } = readCvat(await exportDocument(document, { format: 'cvat', file: file() }));
    expect([...seenFrames(tracks[0]!, 10).values()]).to.deep.equal([[170, 105, 250, 205]]);
    const row = await csvRow(document);
    expect(UPRIGHT.map((name) => Number(row(name)))).to.deep.equal(upright);
  });

  it('has the class and the words of a detection in columns of CSV, else those of its track', async () => {
    const ofTrack = { CLASSIFICATION: 'car', TEXT: '=1+1' };
    const row = await csvRow(portrait(ofTrack, { CLASSIFICATION: 'bus', TRANSCRIPT: 'Hello, you' }, {}));
    expect(['classification', 'text', 'transcript'].map(row)).to.deep.equal(['bus', "'=1+1", 'Hello, you']);
  });

  const UPRIGHT = ['upright_x', 'upright_y', 'upright_width', 'upright_height'];
  const csvRow = async (document: object) => {
    const [names = [], cells = []] = readCsv(await exportDocument(document, { format: 'csv', file: file() }));
    return (name: string) => cells[names.indexOf(name)];
  };

  it('tells of one medium where one is asked for, and refuses one that is not there', async () => {
    const [document] = fc.sample(
      someDocument.filter((one) => new Set(allFound(one).map(({ medium }) => medium.mediaId)).size > 1),
      { seed, numRuns: 1 },
    );
    const wanted = { format: 'ndjson', file: file(), mediaId: 31 } as const;
    const lines = (await exportDocument(document, wanted)).split('\n').slice(0, -1);
    const expected = allFound(document!).filter(({ medium }) => medium.mediaId === 31);
    expect(lines).to.have.lengthOf(expected.length);
    const problem = await exportDocument(document, { ...wanted, mediaId: 99 }).catch(
      (error: Error) => error.message,
    );
    expect(problem).to.equal('The document of this job has no medium 99.');
  });
});
