import { expect } from 'chai';
import * as fc from 'fast-check';
import { DocumentError, documentPieces, type Found } from '../../../results/document/document-scan.ts';
import { runs, seeded } from '../../support/seed.ts';

function* cut(text: string, sizes: readonly number[]): Generator<Buffer> {
  const data = Buffer.from(text);
  for (let at = 0, n = 0; at < data.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    yield data.subarray(at, at + size);
    at += size;
  }
}

async function* chunks(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  yield* cut(text, sizes);
}

/** Scans a document. Returns its text with the found values inserted again, and these values. */
async function scanDocument(text: string, sizes: readonly number[] = [text.length]) {
  const parts: Buffer[] = [];
  const found: Found[] = [];
  for await (const piece of documentPieces(chunks(text, sizes))) {
    if (Buffer.isBuffer(piece)) parts.push(Buffer.from(piece));
    else {
      found.push(piece);
      parts.push(Buffer.from(JSON.stringify(piece.value)));
    }
  }
  return { text: Buffer.concat(parts).toString('utf8'), found };
}

const refusal = async (text: string, sizes?: readonly number[]): Promise<string> => {
  try {
    await scanDocument(text, sizes);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  return 'nothing';
};

const detection = (artifactPath: string | null) => ({
  x: 1,
  detectionProperties: { artifactPath: 'a text' },
  artifactPath,
});
const DOCUMENT = {
  jobId: 'there-7 "ä" \\',
  objectId: 'o',
  jobProperties: { path: 'a property', jobId: 'another' },
  media: [
    {
      mediaId: 1,
      parentMediaId: -1,
      path: 'file:///a',
      sha256: 'ab',
      mediaProperties: { LINKED_MEDIA_HASH: 'cd' },
      markupResult: { id: 1, path: 'file:///m', status: 'COMPLETE', message: null },
      output: {
        'NO TRACKS': [{ source: 'A', algorithm: 'B' }],
        path: [
          {
            source: 'path',
            tracks: [
              {
                trackProperties: { artifactPath: 'x' },
                exemplar: detection('e'),
                detections: [detection('e'), detection(null)],
              },
            ],
          },
        ],
      },
    },
    {
      mediaId: 2,
      parentMediaId: 1,
      path: 'file:///d',
      mediaSelectorsOutputUri: 's',
      markupResult: null,
      output: {},
    },
  ],
};

describe('The scan of a detection document', () => {
  it('shows names, hashes and result addresses, wherever chunks are cut, and keeps the rest', async () => {
    for (const text of [JSON.stringify(DOCUMENT), JSON.stringify(DOCUMENT, null, 2)])
      for (const size of [1, 2, 3, 7, 64, text.length]) {
        const { text: same, found } = await scanDocument(text, [size]);
        expect(same).to.equal(text);
        expect(found.map(({ place, key, value, medium }) => [place, key, value, medium])).to.deep.equal([
          ['ROOT', 'jobId', DOCUMENT.jobId, -1],
          ['MEDIUM', 'parentMediaId', -1, 0],
          ['MEDIUM', 'path', 'file:///a', 0],
          ['MEDIUM', 'sha256', 'ab', 0],
          ['PROPERTIES', 'LINKED_MEDIA_HASH', 'cd', 0],
          ['MARKUP', 'path', 'file:///m', 0],
          ['DETECTION', 'artifactPath', 'e', 0],
          ['DETECTION', 'artifactPath', 'e', 0],
          ['DETECTION', 'artifactPath', null, 0],
          ['MEDIUM', 'parentMediaId', 1, 1],
          ['MEDIUM', 'path', 'file:///d', 1],
          ['MEDIUM', 'mediaSelectorsOutputUri', 's', 1],
        ]);
      }
  });

  it(`changes nothing of any other JSON object ${seeded}`, async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });
    const name = fc.oneof(
      fc.constantFrom('media', 'output', 'path', 'jobId', 'tracks', 'artifactPath'),
      fc.string(),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, fc.jsonValue({ maxDepth: 1 }), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
    }));
    const property = fc.asyncProperty(
      fc.dictionary(name, value),
      sizes,
      fc.nat(2),
      async (object, cuts, indent) => {
        const text = JSON.stringify(object, null, indent);
        expect(JSON.parse((await scanDocument(text, cuts)).text)).to.deep.equal(JSON.parse(text));
      },
    );
    await fc.assert(property, runs(100));
  });

  it('leaves out what stands around the document', async () => {
    for (const size of [1, 4, 100])
      expect((await scanDocument(' \r\n{"a": [1 ]}\n \n', [size])).text).to.equal('{"a": [1 ]}');
  });

  it('refuses what is none, in a sentence', async () => {
    for (const size of [1, 100]) {
      expect(await refusal('<html>', [size])).to.equal('it is not a JSON object');
      expect(await refusal('[1]', [size])).to.equal('it is not a JSON object');
      expect(await refusal('{"media":[{"path":"a', [size])).to.equal('it ends before it is complete');
      expect(await refusal('', [size])).to.equal('it ends before it is complete');
      expect(await refusal('{"a":[}', [size])).to.equal('its brackets do not match');
      expect(await refusal('{} {', [size])).to.equal('something follows its end');
      expect(await refusal('{"jobId":"\\x"}', [size])).to.equal('it is not JSON');
      expect(await refusal(`{"a":${'['.repeat(2_000)}`, [size])).to.equal('it is nested too deeply');
      expect(await refusal(`{"jobId":"${'x'.repeat(70_000)}"}`, [size * 500])).to.include(
        'longer than 65536 bytes',
      );
    }
    const long = JSON.stringify({ ['k'.repeat(5_000)]: 'v'.repeat(200_000), jobId: 'x' });
    expect((await scanDocument(long, [1_000])).text).to.equal(long);
  });
});
