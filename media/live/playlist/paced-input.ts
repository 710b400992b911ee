/**
 * Delivers pictures at the pace of their timestamps. Segments arrive in bursts, and without pacing, pictures would be dropped as too old.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Packet } from 'node-av/lib';
import { NO_TIMESTAMP } from '../../libav/container.ts';
import type { CodedVideo, LiveInput } from '../input/input.ts';

/** Maximum step. A longer one is a jump of the sender's clock, and pacing restarts. */
const JUMP_MS = 10_000;
/** Maximum delay. After a longer one, pacing restarts from the current picture, so the reader does not catch up. */
const LATE_MS = 250;

export function pacedInput(input: LiveInput, signal: AbortSignal): LiveInput {
  let origin: { readonly time: number; readonly at: number; readonly video: number } | undefined;
  return {
    async read(packet) {
      const video = await input.read(packet);
      const time = video === undefined ? undefined : millisecondsOf(packet, video);
      if (video === undefined || time === undefined) return video;
      const now = performance.now();
      // A new format may use another clock.
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

/** Decoding time in milliseconds, which rises from picture to picture. */
function millisecondsOf(packet: Packet, { timeBase }: CodedVideo): number | undefined {
  const stamp = packet.dts === NO_TIMESTAMP ? packet.pts : packet.dts;
  return timeBase === undefined || stamp === NO_TIMESTAMP ? undefined : Number(stamp) * timeBase * 1_000;
}
