/** Segments come in bursts. Their pictures are handed out at the pace of their times, so that none is dropped as too old. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Packet } from 'node-av/lib';
import { NO_TIMESTAMP } from '../../libav/container.ts';
import type { CodedVideo, LiveInput } from '../input/input.ts';

/** A longer step is a jump of the sender's clock: the pace begins anew. */
const JUMP_MS = 10_000;
/** Pictures that are late by more move the beginning: what was missed is not caught up with. */
const LATE_MS = 250;

export function pacedInput(input: LiveInput, signal: AbortSignal): LiveInput {
  let origin: { readonly time: number; readonly at: number; readonly video: number } | undefined;
  return {
    async read(packet) {
      const video = await input.read(packet);
      const time = video === undefined ? undefined : millisecondsOf(packet, video);
      if (video === undefined || time === undefined) return video;
      const now = performance.now();
      // Another format may have another clock.
      if (origin?.video !== video.id) origin = { time, at: now, video: video.id };
      const wait = time - origin.time - (now - origin.at);
      if (Math.abs(wait) > JUMP_MS || wait < -LATE_MS) origin = { time, at: now, video: video.id };
      else if (wait > 0)
        await sleep(wait, undefined, { signal }).catch(() => {
          throw signal.reason;
        });
      return video;
    },
    close: () => input.close(),
  };
}

/** When it is decoded, which rises from picture to picture. */
function millisecondsOf(packet: Packet, { timeBase }: CodedVideo): number | undefined {
  const stamp = packet.dts === NO_TIMESTAMP ? packet.pts : packet.dts;
  return timeBase === undefined || stamp === NO_TIMESTAMP ? undefined : Number(stamp) * timeBase * 1_000;
}
