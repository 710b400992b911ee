/** The raw results of sub-jobs as tracks: types, times and whole pixels filled in, below the quality threshold dropped. */
import { readLines } from '../../output/lines.ts';
import { timeOfFrame } from '../../pipeline/frame-times.ts';
import { aboveThreshold, qualityRule } from '../../pipeline/quality.ts';
import type {
  Detection,
  FrameTimes,
  MediaType,
  ReportedDetection,
  ReportedTrack,
  Track,
} from '../../pipeline/types.ts';
import type { FinishWork, PreparedMedium } from '../sdk/protocol.ts';

/** In the order of the parts and of the lines in them. */
export async function* rawTracks(work: FinishWork, signal: AbortSignal): AsyncGenerator<Track> {
  const { mediaType } = work.medium;
  const rule = qualityRule(work.properties);
  const complete = completer(mediaType, work.trackType, await frameTimesOf(work));
  for (const { path } of work.parts) {
    for await (const { text } of readLines(path, undefined, signal)) {
      const track = aboveThreshold(complete(JSON.parse(text) as ReportedTrack), rule, mediaType);
      if (track !== null) yield track;
    }
  }
}

/** The table of a variable rate is only in the file that PREPARE answered. */
async function frameTimesOf({ medium, prepared }: FinishWork): Promise<FrameTimes> {
  const unknown = { fps: medium.fps, constantRate: true, startTime: 0 };
  if (medium.mediaType !== 'VIDEO') return unknown;
  for await (const { text } of readLines(prepared))
    return (JSON.parse(text) as PreparedMedium).facts.frameTimes ?? unknown;
  return unknown;
}

/** Fills in what a component may leave out (behaviour by media type: frames and times of a video, no frames elsewhere). */
function completer(
  mediaType: MediaType,
  trackType: string,
  frameTimes: FrameTimes,
): (raw: ReportedTrack) => Track {
  const video = mediaType === 'VIDEO';
  const frameOf = (frame: number): number => (video ? frame : 0);
  const timeOf = (given: number | undefined, frame: number, fallback: number): number => {
    if (mediaType === 'IMAGE' || mediaType === 'UNKNOWN') return 0;
    if (given !== undefined) return Math.round(given);
    return video ? timeOfFrame(frameTimes, frame) : fallback;
  };
  return (raw) => {
    const startTime = timeOf(raw.startTime, raw.startFrame, 0);
    const stopTime = timeOf(raw.stopTime, raw.stopFrame, startTime);
    return {
      startFrame: frameOf(raw.startFrame),
      stopFrame: frameOf(raw.stopFrame),
      startTime,
      stopTime,
      type: raw.type ?? trackType,
      confidence: raw.confidence,
      properties: raw.properties,
      detections: raw.detections.map((one) =>
        completeDetection(one, frameOf(one.frame), timeOf(one.time, one.frame, startTime)),
      ),
    };
  };
}

function completeDetection(raw: ReportedDetection, frame: number, time: number): Detection {
  return {
    frame,
    time,
    x: wholePixels(raw.x),
    y: wholePixels(raw.y),
    width: wholePixels(raw.width),
    height: wholePixels(raw.height),
    confidence: raw.confidence,
    properties: raw.properties,
  };
}

const MAX_PIXELS = 2 ** 31 - 1;

/** Rounds half up, never to -0, into the range of a 32-bit integer. */
function wholePixels(value: number): number {
  return Math.max(-MAX_PIXELS, Math.min(MAX_PIXELS, Math.round(value) + 0));
}
