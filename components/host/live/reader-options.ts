/** Options of a stream's reader. It reads the frames that any of the actions needs. */
import { feedForwardType } from '../../../domain/properties/trigger.ts';
import type { Properties } from '../../../domain/types.ts';
import type { StreamAction, StreamWork } from '../../../protocol/streams.ts';
import type { LiveOptions } from './source.ts';

interface Wanted {
  readonly interval: number;
  readonly rateCap: number;
}

/** Returns the actions of a stream. There may be only one. */
export const actionsOf = ({ actions, trackType, properties }: StreamWork, algorithm: string) =>
  actions ?? [{ task: 0, algorithm, trackType, properties }];

/** True if actions on whole frames need different frames. Each then selects from all frames. */
export function samplingsDiffer(actions: readonly StreamAction[]): boolean {
  const [first, ...others] = wantedBy(actions);
  return others.some(({ interval, rateCap }) => interval !== first?.interval || rateCap !== first.rateCap);
}

export function readerOptions(work: StreamWork, actions: readonly StreamAction[]): LiveOptions {
  const { properties, stall, reconnect, reading } = work;
  const { interval, rateCap } = frames(wantedBy(actions));
  return {
    ...reading,
    allowPrivate: work.allowPrivate,
    stall,
    reconnect,
    ...(work.recording === undefined ? {} : { recording: work.recording }),
    firstFrame: work.firstSegment * work.segmentSize,
    seenBefore: work.firstSegment > 0,
    interval,
    rateCap,
    transport: properties['RTSP_TRANSPORT']?.trim().toUpperCase() === 'UDP' ? 'UDP' : 'TCP',
    keyFramesOnly: properties['USE_KEY_FRAMES']?.toUpperCase() === 'TRUE',
  };
}

const wantedBy = (actions: readonly StreamAction[]): readonly Wanted[] =>
  actions.filter(onWholeFrames).map(({ properties }) => wantedOf(properties));

const onWholeFrames = ({ task, properties }: StreamAction): boolean =>
  task === 0 || feedForwardType(properties['FEED_FORWARD_TYPE']) === null;

const wantedOf = (properties: Properties): Wanted => ({
  interval: Math.max(1, Number(properties['FRAME_INTERVAL'] ?? 1) || 1),
  rateCap: Number(properties['FRAME_RATE_CAP'] ?? 0) || 0,
});

/** Returns the frames of all intervals if they differ. A rate cap needs all frames, because it selects by time. */
function frames(wanted: readonly Wanted[]): Wanted {
  const [first, ...others] = wanted;
  if (first === undefined) return { interval: 1, rateCap: 0 };
  if (others.every(({ interval, rateCap }) => interval === first.interval && rateCap === first.rateCap))
    return first;
  if (wanted.some(({ rateCap }) => rateCap > 0)) return { interval: 1, rateCap: 0 };
  return { interval: wanted.map(({ interval }) => interval).reduce(commonDivisor), rateCap: 0 };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? Math.max(1, Math.floor(a)) : commonDivisor(b, a % b);
}
