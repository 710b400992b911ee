/** FRAME: a picture of one frame or document page, or the table of all frame times. */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hasPages } from '../../../domain/plan/media-types.ts';
import { frameTable } from '../../../domain/frames/frame-runs.ts';
import { writeWhole } from '../../../files/part-file.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { inspect } from '../../../media/inspect/inspect.ts';
import { MediumError } from '../../../media/medium-error.ts';
import { sharp } from '../../../media/picture/sharp.ts';
import { uprightOf } from '../../../media/picture/upright.ts';
import type { FrameWork } from '../../../protocol/media-work.ts';
import { jsonPieces } from '../../../results/json-pieces.ts';
import { PageDrawer } from '../../documents/pdf/pdf-drawing.ts';
import { Drawing } from '../markup/draw.ts';
import type { Mark } from '../markup/marks.ts';
import { markupSettings } from '../markup/settings.ts';
import type { Frame } from '../../sdk/detector.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import type { FinishedDetection, FinishedTrack } from './finish/finished-line.ts';
import { FrameReaders } from './frame-readers.ts';

const QUALITY = 90;
/** JPEG quality of reduced pictures. */
const SMALL_QUALITY = 78;
const MOST_LETTERS = 30;
/** Resolution of pages. An A4 page then has 910 x 1,286 pixels. */
const PAGE_DOTS_PER_INCH = 110;

/** Yields a line when the file is stored at its path. Throws COULD_NOT_READ_MEDIA and other errors of media that cannot be read. */
export async function* frame(work: FrameWork, { signal }: WorkContext): AsyncGenerator<string> {
  const content = work.frame === null ? await table(work, signal) : await picture(work, work.frame, signal);
  await writeWhole(work.to, (file) => file.writeFile(content));
  yield '{}\n';
}

async function table({ medium }: FrameWork, signal: AbortSignal): Promise<string> {
  // The hash is not needed, and would read every byte.
  const { facts } = await inspect(medium.path, { sha256: '', signal });
  const { frameTimes = { fps: 0, constantRate: true, startTime: 0 }, length } = facts;
  return JSON.stringify(frameTable(frameTimes, Math.max(0, length)));
}

/** Readers of this process. Detectors use other ones, because they read in order while viewers step through frames. */
const readers = new FrameReaders();

async function picture(work: FrameWork, number: number, signal: AbortSignal): Promise<Buffer> {
  const { medium } = work;
  if (hasPages(medium.mimeType)) return pagePicture(work, number, signal);
  if (medium.mediaType !== 'VIDEO') return pictureOf(work, await readImage(medium.path), number, signal);
  const made = await readers.use(medium, number, signal, (found) => pictureOf(work, found, number, signal));
  if (made !== undefined) return made;
  throw new MediumError(
    'COULD_NOT_READ_MEDIA',
    `Frame ${number} could not be read: the medium is damaged there, or ends before.`,
  );
}

async function pagePicture(
  { medium, to, longestSide }: FrameWork,
  number: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const drawer = new PageDrawer(medium.path, signal);
  const page = `${to}.page`;
  try {
    const reason = await drawer.draw(number + 1, PAGE_DOTS_PER_INCH, page);
    if (reason !== undefined)
      throw new MediumError('COULD_NOT_READ_MEDIA', `Page ${number + 1} cannot be drawn: ${reason}`);
    return await encodePage(page, longestSide);
  } finally {
    await drawer.close();
    await rm(page, { force: true });
  }
}

function encodePage(file: string, longestSide: number | undefined): Promise<Buffer> {
  const picture = sharp(file);
  if (longestSide === undefined) return picture.jpeg({ quality: QUALITY }).toBuffer();
  return shrink(picture, longestSide);
}

const shrink = (picture: ReturnType<typeof sharp>, side: number): Promise<Buffer> =>
  picture
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: SMALL_QUALITY })
    .toBuffer();

async function pictureOf(
  { medium, boxes, stored, format, longestSide }: FrameWork,
  found: Frame,
  number: number,
  signal: AbortSignal,
): Promise<Buffer> {
  if (stored === true) return encodeFrame(found.data, found, format);
  const marks = boxes === undefined ? [] : await marksAt(boxes, number, signal);
  return drawFrame(found, marks, medium.metadata, longestSide);
}

function drawFrame(
  found: Frame,
  marks: readonly Mark[],
  metadata: FrameWork['medium']['metadata'],
  longestSide?: number,
): Promise<Buffer> {
  const settings = markupSettings({ MARKUP_VIDEO_FRAME_NUMBERS_ENABLED: 'FALSE' }, true);
  const drawer = new Drawing(uprightOf(metadata, found), settings);
  const { width, height } = drawer;
  const data = new Uint8Array(width * height * 3);
  drawer.draw(found, marks, data);
  return longestSide === undefined ? encodeFrame(data, drawer) : encodeSmall(data, drawer, longestSide);
}

function encodeSmall(
  data: Uint8Array,
  { width, height }: Pick<Frame, 'width' | 'height'>,
  side: number,
): Promise<Buffer> {
  return shrink(sharp(data, { raw: { width, height, channels: 3 } }), side);
}

function encodeFrame(
  data: Uint8Array,
  { width, height }: Pick<Frame, 'width' | 'height'>,
  format?: 'png',
): Promise<Buffer> {
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  // Level 1: a PNG that is a tenth smaller would take three times as long.
  return (
    format === 'png' ? image.png({ compressionLevel: 1 }) : image.jpeg({ quality: QUALITY })
  ).toBuffer();
}

/** Returns the detections in the document at a frame. */
async function marksAt(
  { document, place }: NonNullable<FrameWork['boxes']>,
  number: number,
  signal: AbortSignal,
): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  const isTrack = (at: readonly (string | number)[]) =>
    at.length === 7 && at[2] === 'output' && at[5] === 'tracks';
  for await (const { path, value } of jsonPieces(createReadStream(document, { signal }), isTrack)) {
    if (path[0] === 'media' && Number(path[1]) > place) break;
    if (!isTrack(path) || path[0] !== 'media' || path[1] !== place) continue;
    const track = value as FinishedTrack;
    for (const detection of track.detections)
      if (detection.offsetFrame === number && detection.width > 0 && detection.height > 0)
        marks.push(markOf(detection, track, Number(path[6])));
  }
  return marks;
}

function markOf(detection: FinishedDetection, { type, trackProperties }: FinishedTrack, track: number): Mark {
  const { x, y, width, height, confidence, detectionProperties: found } = detection;
  const text = found['CLASSIFICATION'] ?? trackProperties['CLASSIFICATION'] ?? found['TEXT'] ?? type;
  return {
    ...{ x, y, width, height, track },
    rotation: Number(found['ROTATION'] ?? 0),
    flip: found['HORIZONTAL_FLIP']?.toLowerCase() === 'true',
    label: `${text.slice(0, MOST_LETTERS)} ${confidence.toFixed(2)}`,
  };
}
