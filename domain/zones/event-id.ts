import { createHash } from 'node:crypto';
import type { ZoneEvent } from './types.ts';

const LETTERS = 24;

/**
 * The id of an event. It depends only on the stream, the zone, line or rule, the track and its start, so every server computes the same.
 */
export function eventId(stream: string, event: ZoneEvent): string {
  const place =
    'rule' in event ? event.rule : 'zone' in event ? event.zone : 'line' in event ? event.line : '';
  const start = 'since' in event ? event.since : event.at;
  const parts = [stream, event.type, place, event.track, start];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, LETTERS);
}
