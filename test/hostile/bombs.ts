/** Small files that expand when they are read, and files whose headers announce more data than they have. */
import { constants, crc32, deflateSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../config/info.ts';
import { zipOf } from '../support/media/zip.ts';

const MIB = 1024 ** 2;
/** Decompressed size. `npm run test:long`, which sets MUTATIONS, uses a larger one. */
const BOMB_BYTES = (process.env['MUTATIONS'] === undefined ? 8 : 256) * MIB;

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A black picture with one bit per pixel. */
export function blackPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  // For zeros, this strategy gives the same output as the default in a third of the time.
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height), {
    strategy: constants.Z_RLE,
  });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const CONTENT_TYPES =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';

/** A document whose text consists of spaces. */
const docx = () =>
  zipOf({
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': Buffer.alloc(BOMB_BYTES, ' '),
  });

/** Nested XML entities: ten lines expand to a billion words. */
function entities(root: string): string {
  const lines = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`);
  return `<?xml version="1.0"?><!DOCTYPE ${root} [<!ENTITY l0 "lol">${lines.join('')}]><${root}>&l9;</${root}>`;
}

/** A document with one page, whose content stream expands to BOMB_BYTES. */
function pdf(): Buffer {
  const stream = deflateSync(Buffer.alloc(BOMB_BYTES, '0 0 m '), { level: 1 });
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>',
  ].map((text, n) => `${n + 1} 0 obj${text}endobj\n`);
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.4\n${objects.join('')}4 0 obj<</Length ${stream.length}/Filter/FlateDecode>>stream\n`,
    ),
    stream,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n'),
  ]);
}

/** A sound file with one sample per second whose header states a duration of a century. */
function longWav(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(0xffffffff, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(1, 24);
  header.writeUInt32LE(1, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(0xfffffff0, 40);
  return Buffer.concat([header, Buffer.alloc(1_000, 128)]);
}

/** A video whose header states a duration of more than a century. */
function longVideo(): Buffer {
  const bytes = readFileSync(join(packageRoot, 'samples', 'mp4v_aac.mp4'));
  for (const [box, at] of [
    ['mvhd', 20],
    ['mdhd', 20],
    ['tkhd', 24],
  ] as const)
    for (let place = bytes.indexOf(box); place !== -1; place = bytes.indexOf(box, place + 4))
      bytes.writeUInt32BE(0xfffffff0, place + at);
  return bytes;
}

/** By file name. */
export const BOMBS: Readonly<Record<string, () => Buffer | string>> = {
  // Decodes to more bytes than the component may use.
  'wide.png': () => blackPng(13_000, 13_000),
  'endless.png': () => blackPng(100_000, 20_000),
  'promised.png': () =>
    Buffer.concat([
      blackPng(8, 8).subarray(0, 16),
      Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]),
      blackPng(8, 8).subarray(24),
    ]),
  'bomb.docx': docx,
  'bomb.pdf': pdf,
  'entities.xml': () => entities('lolz'),
  'entities.svg': () =>
    entities('svg').replace(
      '<svg>',
      '<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000">',
    ),
  'comments.svg': () =>
    `${'<!---->'.repeat(250)}<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`,
  'century.wav': longWav,
  'century.mp4': longVideo,
};

/** A generator of numbers from 0 to 1 (mulberry32), the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Changes, removes, repeats or cuts off bytes. The head, which contains sizes, is changed more often than the
 * rest.
 */
export function mutateBytes(bytes: Buffer, random: () => number): Buffer {
  let result = Buffer.from(bytes);
  const somewhere = () =>
    Math.floor((random() < 0.5 ? Math.min(512, result.length) : result.length) * random());
  for (let n = 1 + Math.floor(random() * 12); n > 0; n--) {
    const at = somewhere();
    const kind = random();
    if (kind < 0.5) result[at] = Math.floor(random() * 256);
    else if (kind < 0.7) result.fill(random() < 0.5 ? 0xff : 0, at, Math.min(at + 4, result.length));
    else if (kind < 0.8) result = result.subarray(0, Math.max(16, Math.floor(result.length * random())));
    else {
      const piece = result.subarray(at, at + Math.floor(random() * 64));
      result = Buffer.concat([
        result.subarray(0, at),
        ...(kind < 0.9 ? [piece, piece] : []),
        result.subarray(at + piece.length),
      ]);
    }
  }
  return result;
}
