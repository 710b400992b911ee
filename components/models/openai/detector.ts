/** Sends pictures with a question to a model server: whole images and frames, or regions that an earlier task found. */
import type { Properties } from '../../../domain/types.ts';
import { sharp } from '../../../media/picture/sharp.ts';
import type { DetectionJob, Detector, FoundTrack, Frame, LoadDetector } from '../../sdk/detector.ts';
import { countOf } from '../../shared/tracking/settings.ts';
import { Chat } from './chat.ts';
import { ModelServer } from './server.ts';
import { promptFor, readChat } from './settings.ts';
import { shownFrames } from './shown-frames.ts';

const JPEG_QUALITY = 90;

const loadOpenAi: LoadDetector = async ({ models, modelServers }) => {
  const server = new ModelServer(modelServers);
  const watchOf = async (job: DetectionJob) => {
    const settings = await readChat(job.properties, models.roots);
    const chat = new Chat(server, settings, job);
    const text = promptFor(settings.prompt, job.fed);
    const largest = countOf(job.properties, 'IMAGE_MAX_SIDE', 16);
    return async (frame: Frame) =>
      trackOf(frame, await chat.ask({ text, picture: await jpegOf(frame, largest) }));
  };
  const detector: Detector = {
    async *image(frame, job) {
      yield await (
        await watchOf(job)
      )(frame);
    },
    async *video(source, job) {
      const look = await watchOf(job);
      for await (const frame of shownFrames(source, job)) yield await look(frame);
    },
    close: () => server.close(),
  };
  return detector;
};

export default loadOpenAi;

async function jpegOf({ data, width, height }: Frame, largest: number): Promise<Buffer> {
  const pixels = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .resize(largest, largest, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer();
}

function trackOf({ index, width, height }: Frame, properties: Properties): FoundTrack {
  return {
    confidence: -1,
    properties,
    detections: [{ frame: index, x: 0, y: 0, width, height, confidence: -1, properties }],
  };
}
