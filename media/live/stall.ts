/** When a stream without frames counts as stalled, when it is given up, and how long to wait before a reconnection. */
import type { ReconnectRules, StallRules } from '../../protocol/streams.ts';

/**
 * `quietMs`: time without a frame. With a `timeoutMs` of 0 a stall ends the stream as soon as it is one, which silence is after
 * `alertMs`; below `alertMs` it ends without being told as stalled before.
 */
export function stallState(
  quietMs: number,
  { alertMs, timeoutMs }: StallRules,
): 'running' | 'stalled' | 'over' {
  const overMs = timeoutMs < 0 ? Infinity : timeoutMs === 0 ? alertMs : timeoutMs;
  if (quietMs >= overMs) return 'over';
  return quietMs >= alertMs ? 'stalled' : 'running';
}

/** The part of a pause that chance may take away, so that many streams of one camera do not come back in the same moment. */
const JITTER = 0.25;

/** Milliseconds before attempt `attempt` (from 1) to reconnect; `random` in [0, 1). */
export function reconnectDelay(
  attempt: number,
  { firstMs, longestMs }: ReconnectRules,
  random: () => number,
): number {
  const doubled = firstMs * 2 ** Math.min(attempt - 1, 30);
  return Math.round(Math.min(doubled, longestMs) * (1 - JITTER * random()));
}
