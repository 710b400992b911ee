/** Reads the times of a video's key frames from its packets. */
import { EventLoopYield, NO_TIMESTAMP, newPacket, openContainer, readPacket } from '../libav/container.ts';
import { milliseconds } from './frame-numbers.ts';

/** Returns milliseconds from the start of the medium, ascending. Throws COULD_NOT_OPEN_MEDIA. */
export async function keyFrameTimes(path: string, signal?: AbortSignal): Promise<readonly number[]> {
  const container = openContainer(path);
  const packet = newPacket();
  const times: number[] = [];
  try {
    const { video, origin } = container;
    const tick = video?.timeBase.toDouble() ?? 0;
    const eventLoop = new EventLoopYield(signal);
    while (readPacket(container, packet)) {
      if (eventLoop.yieldIsDue()) await eventLoop.yield();
      if (packet.streamIndex !== video?.index || !packet.isKeyframe || packet.pts === NO_TIMESTAMP) continue;
      times.push(milliseconds(Number(packet.pts) * tick - origin));
    }
  } finally {
    packet.free();
    container.close();
  }
  return times.toSorted((a, b) => a - b);
}
