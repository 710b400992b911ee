/** Events of zones as clients see them: by REST, as server-sent events, in webhooks and on MQTT. */
import { eventId } from '../../../domain/zones/event-id.ts';
import type { RuleEvent, ZoneEvent } from '../../../domain/zones/types.ts';
import type { WatchedEvent } from '../../../protocol/streams.ts';
import { clipOfEvent } from '../recordings/event-clip.ts';
import type { RecordingRules } from '../recordings/recording-rules.ts';
import type { EventKind } from './record.ts';

export type ZoneEventInfo = Omit<WatchedEvent, 'type' | 'event'> & {
  readonly id: string;
  readonly jobId: number;
  /** The type of the event. */
  readonly event: ZoneEvent['type'];
  /** ISO 8601, UTC. */
  readonly time: string;
  /** For a rule: the event that it watches. */
  readonly kind?: RuleEvent;
  /** A data: URI of a JPEG. */
  readonly crop?: string;
  /** Path or URL of the clip, if the stream is recorded. */
  readonly clip?: string;
};

/** The facts of the job's record that events need. */
export interface EventSource {
  readonly number: number;
  readonly recording?: RecordingRules;
}

const LONGEST_DATE = 8.64e15;

/** `baseUrl`: start of links, without a slash at its end. */
export function infoOfEvent(
  { number: jobId, recording }: EventSource,
  watched: WatchedEvent,
  baseUrl = '',
): ZoneEventInfo {
  const { type, crop, ...rest } = watched;
  const { event: kind, ...facts } = rest as typeof rest & { readonly event?: RuleEvent };
  return {
    id: eventId(String(jobId), watched),
    jobId,
    event: type,
    time: new Date(Math.min(facts.at, LONGEST_DATE)).toISOString(),
    ...facts,
    ...(kind === undefined ? {} : { kind }),
    ...(crop === undefined ? {} : { crop: `data:image/jpeg;base64,${crop}` }),
    ...(recording === undefined ? {} : { clip: `${baseUrl}${clipOfEvent(jobId, facts)}` }),
  };
}

export function kindOfEvent({ type }: Pick<ZoneEvent, 'type'>): EventKind {
  switch (type) {
    case 'rule':
      return 'RULE';
    case 'entered':
    case 'left':
    case 'crossed':
      return 'ZONE';
    case 'trackBegan':
    case 'classChanged':
    case 'trackEnded':
      return 'TRACK';
  }
}
