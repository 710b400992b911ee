/** Chooses the frames of a track from which vectors are made. */
import type { FedTrack } from '../../../protocol/detection-work.ts';
import type { DetectionJob } from '../../sdk/detector.ts';

export interface FrameChoice {
  wants(frame: number): boolean;
  /** Must be called when a vector was made of a frame. */
  note(frame: number): void;
}

type FedDetection = FedTrack['detections'][number];

/** In a live stream, a detection must be better than the best one so far by this factor, so that growing faces cost few vectors. */
const BETTER = 1.1;

/** Without a fed track, all frames are chosen. */
export function frameChoice({ fed, isFedOpen }: DetectionJob, perTrack: number): FrameChoice {
  if (fed === undefined) return { wants: () => true, note() {} };
  return isFedOpen === true ? betterSoFar(fed, perTrack) : bestOfAll(fed, perTrack);
}

export const sizeOf = ({ width, height }: Pick<FedDetection, 'width' | 'height'>): number =>
  Math.min(width, height);

/** Large and certain detections are the best. */
const weightOf = (one: FedDetection): number => sizeOf(one) * one.confidence;

function bestOfAll({ detections }: FedTrack, count: number): FrameChoice {
  const best = detections.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, count);
  const frames = new Set(best.map(({ frame }) => frame));
  return { wants: (frame) => frames.has(frame), note() {} };
}

function betterSoFar(fed: FedTrack, count: number): FrameChoice {
  let [best, made] = [0, 0];
  const weightIn = (frame: number) => {
    const detection = fed.detections.find((one) => one.frame === frame);
    return detection === undefined ? 0 : weightOf(detection);
  };
  return {
    wants: (frame) => made < count && weightIn(frame) > best * BETTER,
    note(frame) {
      made++;
      best = weightIn(frame);
    },
  };
}
