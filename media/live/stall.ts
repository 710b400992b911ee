/** When a stream without frames counts as stalled, when it ends, and how long to wait before a reconnection. */
import type { ReconnectRules, StallRules } from '../../protocol/streams.ts';

/**
 * `quietMs`: time without a frame. With a `timeoutMs` of 0, the stream ends as soon as it stalls, which is after
 * `alertMs` without a frame. With a `timeoutMs` below `alertMs`, it ends without having been reported as stalled.
 */
export function stallState(
  quietMs: number,
  { alertMs, timeoutMs }: StallRules,
): 'running' | 'stalled' | 'over' {
  const overMs = timeoutMs < 0 ? Infinity : timeoutMs === 0 ? alertMs : timeoutMs;
  if (quietMs >= overMs) return 'over';
  return quietMs >= alertMs ? 'stalled' : 'running';
}

/** Maximum share of a pause that is subtracted at random, so that streams of one camera do not reconnect simultaneously. */
const JITTER = 0.25;

/** Milliseconds before reconnection attempt `attempt` (from 1). `random` is in [0, 1). */
export function reconnectDelay(
  attempt: number,
  { firstMs, longestMs }: ReconnectRules,
  random: () => number,
): number {
  const doubled = firstMs * 2 ** Math.min(attempt - 1, 30);
  return Math.round(Math.min(doubled, longestMs) * (1 - JITTER * random()));
}
