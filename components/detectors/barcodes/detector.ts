/** Finds and reads barcodes in pictures and video frames. */
import type { DetectionJob, Detector, FoundTrack, Frame, FrameSource } from '../../sdk/detector.ts';
import { loadReader, type ReadCodes } from './reader.ts';
import { readSettings } from './settings.ts';
import { BarcodeTracks } from './tracks.ts';

const loadBarcodeDetector = async (): Promise<Detector> => {
  const read = await loadReader();
  const detector: Detector = {
    image: (frame, job) => inImage(frame, job, read),
    video: (source, job) => inVideo(source, job, read),
    followsStreams: true,
  };
  return detector;
};

export default loadBarcodeDetector;

async function* inImage(frame: Frame, job: DetectionJob, read: ReadCodes): AsyncIterable<FoundTrack> {
  const settings = readSettings(job.properties);
  job.signal.throwIfAborted();
  const tracks = new BarcodeTracks(settings.maxGap);
  tracks.next(frame.index, await read(frame, settings.formats));
  yield* tracks.end();
}

async function* inVideo(source: FrameSource, job: DetectionJob, read: ReadCodes): AsyncIterable<FoundTrack> {
  const settings = readSettings(job.properties);
  const tracks = new BarcodeTracks(settings.maxGap, job);
  job.live?.follow(tracks);
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    if (frame.warmUp) continue;
    yield* tracks.next(frame.index, await read(frame, settings.formats));
  }
  yield* tracks.end();
}
