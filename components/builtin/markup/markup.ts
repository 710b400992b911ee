/** MARKUP: draws detections into a copy of an image or video. */
import { randomUUID } from 'node:crypto';
import { fileTypeFromFile } from 'file-type';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readImage } from '../../../media/picture/image-frame.ts';
import { uprightOf } from '../../../media/picture/upright.ts';
import { VIDEO_ENCODERS } from '../../../media/video/video-encoder.ts';
import { writePng } from '../../../media/picture/write-png.ts';
import { makeWhole } from '../../../files/part-file.ts';
import { removeFolder } from '../../../files/remove.ts';
import type { Issue } from '../../../domain/types.ts';
import { DetectionError } from '../../sdk/detector.ts';
import type { MarkupAnswer, MarkupWork } from '../../../protocol/track-work.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { Drawing } from './draw.ts';
import { concealmentOf } from './concealment.ts';
import { markUpVideo, type Drawn } from './markup-video.ts';
import { readMarks } from './read-marks.ts';
import { conceals, markupSettings, type MarkupSettings } from './settings.ts';

/** Yields one line, a MarkupAnswer. Throws UNSUPPORTED_DATA_TYPE, INVALID_PROPERTY, and errors of media that cannot be read. */
export async function* markUp(work: MarkupWork, context: WorkContext): AsyncGenerator<string> {
  const { mediaType } = work.medium;
  if (mediaType !== 'VIDEO' && mediaType !== 'IMAGE')
    throw new DetectionError(
      'UNSUPPORTED_DATA_TYPE',
      `MARKUP cannot draw into media of the type ${mediaType}.`,
    );
  const isVideo = mediaType === 'VIDEO';
  const settings = markupSettings(work.properties, isVideo);
  const { signal } = context;
  const concealed = isVideo && conceals(settings) ? await concealmentOf(work, settings, signal) : undefined;
  const marks = await readMarks(work.sources, settings, signal, concealed?.unseen);
  const isCopy = marks.isEmpty && concealed?.excerpt === undefined;
  const drawn = isVideo ? VIDEO_ENCODERS[settings.encoder].container : 'png';
  const extension = isCopy ? await extensionOf(work.medium.path) : drawn;
  const path = join(work.folder, `${randomUUID()}.${extension}`);
  // Deletes the copy of an earlier attempt, which has a different name and is not referenced.
  await removeFolder(work.folder);
  await mkdir(work.folder, { recursive: true });
  let answer: MarkupAnswer;
  try {
    const draw = isCopy ? copySource : isVideo ? markUpVideo : markUpImage;
    const drawn = { marks, excerpt: concealed?.excerpt };
    const warnings = await makeWhole(path, (part) => draw(work, settings, drawn, part, context));
    answer = { path, uri: pathToFileURL(path).href, warnings };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  yield `${JSON.stringify(answer)}\n`;
}

/** Copies the medium unchanged if there are no detections to draw. */
async function copySource(
  { medium }: MarkupWork,
  _settings: MarkupSettings,
  _drawn: Drawn,
  path: string,
  { signal, progress }: WorkContext,
): Promise<readonly Issue[]> {
  await copyFile(medium.path, path);
  signal.throwIfAborted();
  progress(1, 1);
  return [];
}

async function extensionOf(path: string): Promise<string> {
  return (await fileTypeFromFile(path))?.ext ?? (extname(path).slice(1) || 'bin');
}

async function markUpImage(
  { medium }: MarkupWork,
  settings: MarkupSettings,
  { marks }: Drawn,
  path: string,
  { signal, progress }: WorkContext,
): Promise<readonly Issue[]> {
  const picture = await readImage(medium.path);
  const drawer = new Drawing(uprightOf(medium.metadata, picture), settings);
  const { width, height } = drawer;
  const data = new Uint8Array(width * height * 3);
  drawer.draw(picture, marks.byFrame()(picture.index), data);
  signal.throwIfAborted();
  await writePng(path, { width, height, data });
  progress(1, 1);
  return [];
}
