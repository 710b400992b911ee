import { expect } from 'chai';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { hashFile } from '../../../media/inspect/hash.ts';
import { inspect } from '../../../media/inspect/inspect.ts';
import type { Inspection } from '../../../media/inspect/inspection.ts';
import { mimeTypeOf } from '../../../media/inspect/mime.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import { bitmapOf } from '../../support/media/bitmap.ts';
import { docx, odf, pptx, xlsx } from '../../support/media/office.ts';
import { zipOf } from '../../support/media/zip.ts';
import { makeSound } from '../support/make-sound.ts';
import { makeVideo } from '../support/make-video.ts';
import { mediumError, sample, scratchFolder } from '../support/samples.ts';

const VIDEO_01 = '5eacf0a11d51413300ee0f4719b7ac7b52b47310a49320703c1d2639ebbc9fea';

/** Facts of the samples: type, MIME type, length and metadata. */
const KNOWN: Readonly<
  Record<string, readonly [type: string, mime: string, length: number, metadata: Record<string, string>]>
> = {
  'video_01.mp4': [
    'VIDEO',
    'video/mp4',
    90,
    {
      FRAME_COUNT: '90',
      FRAME_WIDTH: '640',
      FRAME_HEIGHT: '480',
      FPS: '29.97002997002997',
      DURATION: '3042',
      ROTATION: '0.0',
      HAS_CONSTANT_FRAME_RATE: 'true',
    },
  ],
  'face-morphing.gif': [
    'VIDEO',
    'image/gif',
    29,
    {
      FRAME_COUNT: '29',
      FRAME_WIDTH: '308',
      FRAME_HEIGHT: '400',
      FPS: '8.333333333333334',
      DURATION: '3500',
      ROTATION: '0.0',
    },
  ],
  'bbb24p_00_short.ts': [
    'VIDEO',
    'video/vnd.dlna.mpeg-tts',
    10,
    {
      FRAME_COUNT: '10',
      FRAME_WIDTH: '1920',
      FRAME_HEIGHT: '1080',
      FPS: '24.0',
      DURATION: '1130',
      ROTATION: '0.0',
    },
  ],
  'face_move.mp4': [
    'VIDEO',
    'video/mp4',
    100,
    {
      FRAME_COUNT: '100',
      FRAME_WIDTH: '640',
      FRAME_HEIGHT: '360',
      FPS: '25.0',
      DURATION: '4000',
      ROTATION: '0.0',
      HAS_CONSTANT_FRAME_RATE: 'true',
    },
  ],
  'ff-exact-region-object-motion.avi': [
    'VIDEO',
    'video/x-msvideo',
    170,
    {
      FRAME_COUNT: '170',
      FRAME_WIDTH: '320',
      FRAME_HEIGHT: '240',
      FPS: '30.0',
      DURATION: '5667',
      ROTATION: '0.0',
      HAS_CONSTANT_FRAME_RATE: 'true',
    },
  ],
  'theora_opus.ogg': [
    'VIDEO',
    'video/ogg',
    30,
    {
      FRAME_COUNT: '30',
      FRAME_WIDTH: '640',
      FRAME_HEIGHT: '480',
      FPS: '29.97002997002997',
      DURATION: '1045',
      ROTATION: '0.0',
    },
  ],
  'green.wav': ['AUDIO', 'audio/vnd.wave', -1, { DURATION: '2200' }],
  'silence.mp3': ['AUDIO', 'audio/mpeg', -1, { DURATION: '60000' }],
  'amrnb.amr': ['AUDIO', 'audio/amr', -1, { DURATION: '1074' }],
  'video_02_audio_only.mp4': ['AUDIO', 'video/mp4', -1, { DURATION: '17415' }],
  'lp-bmw.jpg': [
    'IMAGE',
    'image/jpeg',
    1,
    {
      FRAME_WIDTH: '809',
      FRAME_HEIGHT: '606',
      EXIF_ORIENTATION: '1',
      ROTATION: '0',
      HORIZONTAL_FLIP: 'FALSE',
    },
  ],
  'Johnrogershousemay2020-extra-bytes.webp': [
    'IMAGE',
    'image/webp',
    1,
    { FRAME_WIDTH: '1536', FRAME_HEIGHT: '1024' },
  ],
  'camera.png': ['IMAGE', 'image/png', 1, { FRAME_WIDTH: '512', FRAME_HEIGHT: '512' }],
  'ATTRIBUTION.md': ['UNKNOWN', 'text/x-web-markdown', -1, {}],
};

describe('inspecting a medium', () => {
  let folder = '';
  const pathOf = (name: string): string => join(folder, name);
  const file = async (name: string, content: string | Uint8Array): Promise<string> => {
    await writeFile(pathOf(name), content);
    return pathOf(name);
  };
  before(() => {
    folder = scratchFolder();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, [mediaType, mimeType, length, metadata]] of Object.entries(KNOWN))
    it(`knows ${name} for what it is`, async () => {
      const { facts } = await inspect(sample(name));
      expect([facts.mediaType, facts.mimeType, facts.length]).to.deep.equal([mediaType, mimeType, length]);
      expect(facts.metadata).to.deep.equal({ MIME_TYPE: mimeType, ...metadata });
    });

  it('hashes the bytes, unless the hash is known', async () => {
    expect(await hashFile(sample('video_01.mp4'))).to.equal(VIDEO_01);
    expect((await inspect(sample('video_01.mp4'))).facts.sha256).to.equal(VIDEO_01);
    expect((await inspect(sample('green.wav'), { sha256: 'given' })).facts.sha256).to.equal('given');
  });

  it('warns of streams that a video lacks', async () => {
    const codes = ({ warnings }: Inspection): string[] => warnings.map(({ code }) => code);
    expect(codes(await inspect(sample('video_02_audio_only.mp4')))).to.deep.equal(['MISSING_VIDEO_STREAM']);
    expect(codes(await inspect(sample('face_move.mp4')))).to.deep.equal([]);
  });

  it('tells how frames become times', async () => {
    const constant = (await inspect(sample('video_01.mp4'))).facts.frameTimes;
    expect(constant).to.deep.equal({ fps: 30_000 / 1001, constantRate: true, startTime: 33 });
    const gif = (await inspect(sample('face-morphing.gif'))).facts.frameTimes;
    expect(gif?.times?.slice(0, 4)).to.deep.equal([0, 300, 450, 550]);
    expect(gif?.times).to.have.length(29);
  });

  it('counts by decoding and takes the decoding times when presentation times are missing', async () => {
    makeVideo(pathOf('b.avi'), { frames: 40, encoder: 'mpeg4', bFrames: 2 });
    const { facts, warnings } = await inspect(pathOf('b.avi'));
    expect(facts.length).to.equal(40);
    expect(facts.frameTimes).to.deep.equal({ fps: 25, constantRate: true, startTime: 0 });
    // Frames with equal times cannot be found by time.
    expect(facts.metadata).not.to.have.property('HAS_CONSTANT_FRAME_RATE');
    expect(warnings).to.deep.equal([]);
  });

  it('warns when times can only be estimated from the rate', async () => {
    makeVideo(pathOf('raw.h264'), { frames: 40, bFrames: 2 });
    const { facts, warnings } = await inspect(pathOf('raw.h264'));
    expect(facts.length).to.equal(40);
    expect(facts.frameTimes).to.include({ constantRate: true, startTime: 0, estimated: true });
    expect(warnings[0]?.message).to.match(/^One or more presentation timestamp \(PTS\) values were missing/);
  });

  /** Bursts: of each 10 frames at 25 per second, only the first 4 exist. */
  const inBursts = (frame: number): number => (Math.floor(frame / 4) * 10 + (frame % 4)) * 40;
  for (const [encoder, bFrames] of [
    ['mjpeg', 0],
    ['mpeg4', 0],
    ['libx264', 2],
  ] as const)
    it(`takes an AVI file with dropped frames for whole, each frame at its time (${encoder})`, async () => {
      const path = pathOf(`dropped-${encoder}.avi`);
      makeVideo(path, { frames: 80, encoder, bFrames, at: inBursts, rate: 25 });
      const { facts, warnings } = await inspect(path);
      expect(warnings).to.deep.equal([]);
      expect(facts.length).to.equal(80);
      expect(facts.frameTimes?.times).to.deep.equal(Array.from({ length: 80 }, (_, i) => inBursts(i)));
      const reader = await openVideo(path, { range: { start: 70, stop: 79 } });
      const times: number[] = [];
      for await (const { time } of reader.frames()) times.push(time);
      expect(times).to.deep.equal(Array.from({ length: 10 }, (_, i) => inBursts(70 + i)));
    });

  it('assumes a constant rate if all steps are equally many ticks, not if they only look so', async () => {
    // 29.97 frames per second. In milliseconds, the steps alternate between 33 and 34.
    makeVideo(pathOf('ntsc.mkv'), { frames: 60, at: (frame) => Math.floor((frame * 1001) / 30) });
    const { facts } = await inspect(pathOf('ntsc.mkv'));
    expect(facts.metadata).not.to.have.property('HAS_CONSTANT_FRAME_RATE');
    expect(facts.frameTimes?.times?.slice(0, 4)).to.deep.equal([0, 33, 66, 100]);
    makeVideo(pathOf('pal.mkv'), { frames: 60 });
    expect((await inspect(pathOf('pal.mkv'))).facts.metadata['HAS_CONSTANT_FRAME_RATE']).to.equal('true');
  });

  it('knows BMP and netpbm pictures, also when their pixels look like letters', async () => {
    const letters = Buffer.alloc(31 * 20 * 3, 'a');
    for (const [name, bytes, mimeType] of [
      ['a.bmp', bitmapOf(letters, 31, 20), 'image/bmp'],
      [
        'a.ppm',
        Buffer.concat([Buffer.from('P6\n# of a scanner\n31 20\n255\n'), letters]),
        'image/x-portable-pixmap',
      ],
      [
        'a.pgm',
        Buffer.concat([Buffer.from('P5\n31 20\n255\n'), letters.subarray(0, 620)]),
        'image/x-portable-graymap',
      ],
    ] as const) {
      const { facts } = await inspect(await file(name, bytes));
      expect([facts.mediaType, facts.length, facts.metadata]).to.deep.equal([
        'IMAGE',
        1,
        { MIME_TYPE: mimeType, FRAME_WIDTH: '31', FRAME_HEIGHT: '20' },
      ]);
      const cut = await mediumError(inspect(await file(`cut-${name}`, bytes.subarray(0, 100))));
      expect(cut.code).to.equal('MEDIA_INSPECTION');
      expect(cut.message).to.match(/^The image could not be decoded: it is damaged, cut off, /);
    }
    const { facts } = await inspect(await file('P6.txt', 'P6 is a road to the west.'));
    expect(facts.mimeType).to.equal('text/plain');
  });

  it('takes rotation and flip of images from EXIF', async () => {
    const expected = [
      '0 FALSE',
      '0 TRUE',
      '180 FALSE',
      '180 TRUE',
      '90 TRUE',
      '90 FALSE',
      '270 TRUE',
      '270 FALSE',
    ];
    for (const [i, wanted] of expected.entries()) {
      await sharp(sample('chelsea.png'))
        .withMetadata({ orientation: i + 1 })
        .jpeg()
        .toFile(pathOf('exif.jpg'));
      const { metadata } = (await inspect(pathOf('exif.jpg'))).facts;
      expect(`${metadata['ROTATION']} ${metadata['HORIZONTAL_FLIP']}`, `orientation ${i + 1}`).to.equal(
        wanted,
      );
      expect([metadata['FRAME_WIDTH'], metadata['FRAME_HEIGHT']]).to.deep.equal(['451', '300']);
    }
  });

  it('takes the rotation of a video from its display matrix', async () => {
    const bytes = await readFile(sample('face_move.mp4'));
    const one = 0x10000;
    const turned = { '90.0': [0, one, -one, 0], '180.0': [-one, 0, 0, -one], '270.0': [0, -one, one, 0] };
    for (const [rotation, [a, b, c, d]] of Object.entries(turned)) {
      // The matrix in the first track header, 40 bytes into its body.
      const at = bytes.indexOf('tkhd') + 4 + 40;
      for (const [i, value] of [a, b, 0, c, d].entries()) bytes.writeInt32BE(value ?? 0, at + i * 4);
      expect((await inspect(await file('turned.mp4', bytes))).facts.metadata['ROTATION']).to.equal(rotation);
    }
  });

  it('ends in MEDIA_INSPECTION for damaged media', async () => {
    const jpeg = await readFile(sample('rocket.jpg'));
    const mp4 = await readFile(sample('face_move.mp4'));
    const paths = [
      sample('video_01_invalid.mp4'),
      await file('cut.jpg', jpeg.subarray(0, 30_000)),
      await file('cut.mp4', mp4.subarray(0, 200_000)),
      await file('header-only.png', (await readFile(sample('chelsea.png'))).subarray(0, 60)),
    ];
    for (const path of paths)
      expect((await mediumError(inspect(path))).code, path).to.equal('MEDIA_INSPECTION');
  });

  it('reads what is there of a medium whose end is missing, and says how much that is', async () => {
    makeVideo(pathOf('whole.mkv'), { frames: 100 });
    makeVideo(pathOf('whole.avi'), { frames: 100, encoder: 'mpeg4' });
    // The index is at the start of the file and lists all 90 frames.
    await copyFile(sample('video_01.mp4'), pathOf('whole.mp4'));
    await writeFile(pathOf('sound.mp4'), indexFirst(await readFile(sample('video_02_audio_only.mp4'))));
    await copyFile(sample('silence.mp3'), pathOf('sound.mp3'));
    await copyFile(sample('green.wav'), pathOf('sound.wav'));
    makeSound(pathOf('sound.flac'), 'flac', 20);
    makeSound(pathOf('sound.wv'), 'wavpack', 20);
    const damaged = /^The medium is truncated or damaged: [\d.]+ of its [\d.]+ seconds can be read/;
    const sounds = ['sound.mp4', 'sound.mp3', 'sound.wav', 'sound.flac', 'sound.wv'];
    for (const name of ['whole.mkv', 'whole.avi', 'whole.mp4', ...sounds]) {
      const whole = await inspect(pathOf(name));
      expect(
        whole.warnings.map(({ code }) => code),
        name,
      ).not.to.include('MEDIA_INSPECTION');
      const bytes = await readFile(pathOf(name));
      const cut = await file(`cut-${name}`, bytes.subarray(0, bytes.length / 2));
      const { facts, warnings } = await inspect(cut);
      expect(warnings.at(-1)?.message, name).to.match(damaged);
      const ratio = Number(facts.metadata['DURATION']) / Number(whole.facts.metadata['DURATION']);
      expect(ratio, name).to.be.within(0.2, 0.8);
      if (facts.mediaType === 'VIDEO')
        expect(facts.length / whole.facts.length, name).to.be.closeTo(ratio, 0.05);
      expect((await inspect(cut, { ignoresDamage: true })).warnings, name).to.deep.equal(whole.warnings);
    }
  });

  it('reads what is there where the container does not tell how much there should be', async () => {
    const bytes = await readFile(sample('theora_opus.ogg'));
    const { facts, warnings } = await inspect(await file('cut.ogg', bytes.subarray(0, 30_000)));
    expect(facts.length).to.be.within(5, 29);
    expect(warnings).to.deep.equal([]);
    const wav = await readFile(sample('green.wav'));
    wav.writeUInt32LE(0x7ffff024, 4);
    expect((await inspect(await file('piped.wav', wav))).warnings).to.deep.equal([]);
    // The first frame of an MP3 states its length. Without it, the length follows from the number of bytes.
    const mp3 = await readFile(sample('silence.mp3'));
    const second = mp3.indexOf(Buffer.from([0xff, 0xfb]), mp3.indexOf('Info'));
    const cut = await inspect(await file('cut.mp3', mp3.subarray(second, mp3.length / 2)));
    expect(Number(cut.facts.metadata['DURATION'])).to.be.closeTo(30_000, 200);
    expect(cut.warnings).to.deep.equal([]);
  });

  it('goes by the content, not by the name', async () => {
    const png = await readFile(sample('chelsea.png'));
    expect((await inspect(await file('picture.txt', png))).facts.mimeType).to.equal('image/png');
    const text = await file('movie.mp4', 'This is no movie.\n');
    expect((await inspect(text)).facts).to.include({
      mediaType: 'UNKNOWN',
      mimeType: 'text/plain',
      length: -1,
    });
  });

  it('tells texts apart by their ending and markup by its beginning', async () => {
    const cases: [name: string, content: string | Uint8Array, mime: string][] = [
      ['a.txt', 'Grüße\n', 'text/plain'],
      ['a.json', '{"a": 1}', 'application/json'],
      ['a.csv', 'a,b\n1,2\n', 'text/csv'],
      ['a.xml', '<?xml version="1.0"?><a/>', 'application/xml'],
      ['a.bin', '<!DOCTYPE html><html></html>', 'text/html'],
      ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>', 'image/svg+xml'],
      ['utf16', Buffer.from('\ufeffwide', 'utf16le'), 'text/plain'],
      ['western', Buffer.from('Gr\xfc\xdfe aus M\xfcnchen, wo die Sonne scheint\n', 'latin1'), 'text/plain'],
      [
        'western.bin',
        Buffer.from('\xfc\xdf\xe4\xf6\xfc is not enough', 'latin1'),
        'application/octet-stream',
      ],
      ['noise.txt', Buffer.from([1, 2, 3, 250, 251, 0, 0, 9]), 'application/octet-stream'],
      ['bmw.txt', 'BMW and others\n', 'text/plain'],
      ['empty', '', 'application/octet-stream'],
    ];
    for (const [name, content, mime] of cases)
      expect(await mimeTypeOf(await file(name, content)), name).to.equal(mime);
    expect(await mimeTypeOf(await file('fetched', '{}'), 'answer.json')).to.equal('application/json');
  });

  it('tells kinds of documents apart', async () => {
    const office = 'application/vnd.openxmlformats-officedocument';
    const cases: [name: string, content: Uint8Array, mime: string][] = [
      ['a.docx', docx(''), `${office}.wordprocessingml.document`],
      ['a.pptx', pptx([]), `${office}.presentationml.presentation`],
      ['a.xlsx', xlsx([]), `${office}.spreadsheetml.sheet`],
      ['a.odt', odf('text', ''), 'application/vnd.oasis.opendocument.text'],
      ['a.odp', odf('presentation', ''), 'application/vnd.oasis.opendocument.presentation'],
      ['a.ods', odf('spreadsheet', ''), 'application/vnd.oasis.opendocument.spreadsheet'],
      ['a.zip', zipOf({ 'a.txt': 'a' }), 'application/zip'],
    ];
    for (const [name, content, mime] of cases)
      expect((await inspect(await file(name, content))).facts, name).to.include({
        mediaType: 'UNKNOWN',
        mimeType: mime,
        length: -1,
      });
    expect(await mimeTypeOf(sample('sections.docx'))).to.equal(cases[0]?.[2]);
    expect(await mimeTypeOf(sample('sheets.xlsx'))).to.equal(cases[2]?.[2]);
    expect(await mimeTypeOf(sample('slides.odp'))).to.equal(cases[4]?.[2]);
    expect(await mimeTypeOf(sample('text-embedded-and-images.pdf'))).to.equal('application/pdf');
  });
});

/** Moves the index of an MP4 file from the end to the start. */
function indexFirst(bytes: Buffer): Buffer {
  const boxes: { readonly type: string; readonly box: Buffer }[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      box: bytes.subarray(at, at + bytes.readUInt32BE(at)),
    });
  const moov = Buffer.from(boxes.find(({ type }) => type === 'moov')!.box);
  const offsets = moov.indexOf('stco') + 12;
  for (let entry = 0; entry < moov.readUInt32BE(offsets - 4); entry++) {
    const at = offsets + entry * 4;
    moov.writeUInt32BE(moov.readUInt32BE(at) + moov.length, at);
  }
  const rest = boxes.filter(({ type }) => type !== 'moov').map(({ box }) => box);
  return Buffer.concat([rest[0]!, moov, ...rest.slice(1)]);
}
