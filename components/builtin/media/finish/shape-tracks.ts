/** Processes single tracks: moving labels, ill-formed and too small detections, padding. */
import {
  dropIllFormed,
  hasNoArea,
  illFormedWarnings,
  isExemptFromBoxChecks,
  isTooSmall,
  keepDetections,
} from '../../../../domain/geometry/ill-formed.ts';
import type { FrameSize } from '../../../../domain/geometry/ill-formed.ts';
import { labelMoving, movingRule } from '../../../../domain/tracks/moving-tracks.ts';
import { paddingOf, paddingWarnings, padTrack } from '../../../../domain/geometry/padding.ts';
import { integerOf } from '../../../../domain/properties/properties.ts';
import type { Issue, Properties, Track } from '../../../../domain/types.ts';
import type { WorkMedium } from '../../../../protocol/media-work.ts';
import type { RawTrack } from './raw-tracks.ts';

export interface TrackShaper<T extends Track = RawTrack> {
  /** Null when the track is dropped. */
  shape(track: T): T | null;
  /** Warnings, one per kind of change, with all affected frames. */
  warnings(): readonly Issue[];
}

/** Properties of a medium: type and size of its pictures. */
export interface ShapedMedium {
  readonly medium: Pick<WorkMedium, 'mediaType' | 'metadata'>;
  readonly properties: Properties;
}

export function trackShaper<T extends Track = RawTrack>({
  medium,
  properties,
}: ShapedMedium): TrackShaper<T> {
  const frame = frameSizeOf(medium);
  const moving = medium.mediaType === 'VIDEO' ? movingRule(properties) : null;
  const padding = frame === null ? null : paddingOf(properties);
  const noArea = new Set<number>();
  const outside = new Set<number>();
  const shrunk = new Set<number>();
  const tooSmall = isTooSmall(properties);
  const largeEnough = (track: T): T | null => {
    if (frame === null) return track;
    const kept = keepDetections(track, (detection) => !tooSmall(detection));
    return kept === null ? null : { ...track, ...kept };
  };
  const wellFormed = (track: T): T | null => {
    if (frame === null || isExemptFromBoxChecks(track.type)) return track;
    const dropped = dropIllFormed(track, frame);
    addAll(noArea, dropped.noArea);
    addAll(outside, dropped.outside);
    return dropped.track === null ? null : { ...track, ...dropped.track };
  };
  const padDetections = (track: T): T => {
    if (padding === null || frame === null || track.detections.every(hasNoArea)) return track;
    const result = padTrack(track, padding, frame);
    addAll(shrunk, result.shrunk);
    return { ...track, ...result.track };
  };
  return {
    shape(track) {
      const labelled = moving === null ? track : labelMoving(track, moving);
      const formed = labelled === null ? null : wellFormed({ ...track, ...labelled });
      const large = formed === null ? null : largeEnough(formed);
      return large === null ? null : padDetections(large);
    },
    warnings: () =>
      [
        ...illFormedWarnings({ noArea: [...noArea], outside: [...outside] }),
        ...paddingWarnings([...shrunk]),
      ].map(shortenIssue),
  };
}

/** Returns null for media without pictures, and if the size is unknown. */
function frameSizeOf({ mediaType, metadata }: ShapedMedium['medium']): FrameSize | null {
  if (mediaType !== 'VIDEO' && mediaType !== 'IMAGE') return null;
  const width = integerOf(metadata, 'FRAME_WIDTH', 0);
  const height = integerOf(metadata, 'FRAME_HEIGHT', 0);
  return width > 0 && height > 0 ? { width, height } : null;
}

const MAX_MESSAGE = 4000;

/** Shortens a message. A list of frames can be as long as the video, and the job's record stores it. */
function shortenIssue(issue: Issue): Issue {
  if (issue.message.length <= MAX_MESSAGE) return issue;
  const end = issue.message.lastIndexOf(',', MAX_MESSAGE);
  return { ...issue, message: `${issue.message.slice(0, end)}, ...)` };
}

function addAll(frames: Set<number>, more: readonly number[]): void {
  for (const frame of more) frames.add(frame);
}
