/** Finds and reads lines of text in pictures and video frames. */
import type {
  Detector,
  DetectorHost,
  Frame,
  FrameSource,
  FoundTrack,
  DetectionJob,
} from '../../sdk/detector.ts';
import { glimpse, hasChanged } from './frame-change.ts';
import type { Glimpse } from './frame-change.ts';
import { loadTextModels } from './models.ts';
import type { TextModels } from './models.ts';
import { readPicture } from './read-picture.ts';
import type { TextLine } from './read-picture.ts';
import { OwnReaders } from './readers/own-models.ts';
import { TesseractReaders } from './readers/tesseract.ts';
import { readSettings, type TextSettings } from './settings.ts';
import { TextTracks } from './text-tracks.ts';
import { UNREAD_WARNING } from './unread-text.ts';

/** Number of mostly unread pictures of a video before a warning, because single ones may be blurred. */
const UNREAD_FRAMES = 3;

const loadTextDetector = async ({ models: own }: DetectorHost): Promise<Detector> => {
  const models = await loadTextModels();
  const readers = new OwnReaders(own);
  const tesseract = new TesseractReaders(own);
  const begin = async ({ properties, signal }: DetectionJob): Promise<Course> => {
    const settings = readSettings(properties);
    const { recognitionModel, tesseractLanguage } = settings;
    if (tesseractLanguage !== '')
      return { settings, models: { ...models, reader: await tesseract.open(tesseractLanguage) } };
    const reader = recognitionModel === '' ? models.reader : await readers.open(recognitionModel, signal);
    return { settings, models: { ...models, reader } };
  };
  return {
    async *image(frame, job) {
      yield* readImage(frame, job, await begin(job));
    },
    async *video(source, job) {
      yield* readVideo(source, job, await begin(job));
    },
    followsStreams: true,
    async close() {
      await tesseract.close();
      await readers.close();
      await models.close();
    },
  };
};

export default loadTextDetector;

/** Settings and models of one call. */
interface Course {
  readonly settings: TextSettings;
  readonly models: TextModels;
}

async function* readImage(
  frame: Frame,
  job: DetectionJob,
  { settings, models }: Course,
): AsyncIterable<FoundTrack> {
  const tracks = new TextTracks(settings.similarity);
  const { lines, isUnread } = await readPicture(frame, models, settings, job.signal);
  if (isUnread) job.warn?.(UNREAD_WARNING);
  tracks.next(frame.index, lines);
  const found = tracks.end();
  yield* settings.mergeLines || job.fed !== undefined ? found : found.map(numberTrack);
}

/** Adds the position in the reading order, because the document sorts tracks by place. */
function numberTrack(track: FoundTrack, index: number): FoundTrack {
  const number = { LINE_NUM: String(index + 1) };
  const detections = track.detections.map((one) => ({
    ...one,
    properties: { ...one.properties, ...number },
  }));
  return { ...track, detections, properties: { ...track.properties, ...number } };
}

/** Reads each sampled frame that differs from the last read one. Other frames get the text of that frame. */
async function* readVideo(
  source: FrameSource,
  job: DetectionJob,
  { settings, models }: Course,
): AsyncIterable<FoundTrack> {
  const tracks = new TextTracks(settings.similarity, job);
  job.live?.follow(tracks);
  let unread = 0;
  let last: { readonly seen: Glimpse; readonly lines: readonly TextLine[] } | undefined;
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    if (frame.warmUp) continue;
    const seen = glimpse(frame);
    if (last === undefined || hasChanged(last.seen, seen, settings.changeThreshold)) {
      const { lines, isUnread } = await readPicture(frame, models, settings, job.signal);
      last = { seen, lines };
      if (isUnread && ++unread === UNREAD_FRAMES) job.warn?.(UNREAD_WARNING);
    }
    yield* tracks.next(frame.index, last.lines);
  }
  yield* tracks.end();
}
