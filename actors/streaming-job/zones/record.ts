/** What a request asks for about zones, and the state of a job's zones. */
import type { ZoneCounts } from '../../../domain/zones/counts.ts';
import type { WatchedEvent } from '../../../protocol/streams.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import { NOTHING_SEEN, type WatchState } from '../../../domain/zones/watch-state.ts';

/** RULE: rules. ZONE: entries, exits and crossings. TRACK: tracks begin, change their class and end. */
export const EVENT_KINDS = ['RULE', 'ZONE', 'TRACK'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface MqttReceiver {
  /** mqtt or mqtts, with user and password when the client gave them. */
  readonly url: string;
  /** All topics of the stream begin with it. */
  readonly topic: string;
  /** Topics of Home Assistant discovery begin with it; absent: nothing is announced. */
  readonly discoveryPrefix?: string;
}

export interface EventReceivers {
  /** Which events are kept and sent. */
  readonly kinds: readonly EventKind[];
  readonly callbackUri?: string;
  readonly mqtt?: MqttReceiver;
}

export interface StreamZones {
  readonly plan: ZonePlan;
  readonly receivers: EventReceivers;
}

/** A report of a component about events in zones. */
export interface ZonesMessage {
  readonly seq: number;
  readonly events: readonly WatchedEvent[];
  readonly watch: WatchState;
}

export interface ZonesState {
  /** The last message of components. */
  readonly seq: number;
  /** Where the next component goes on. */
  readonly watch: WatchState;
  /** Events that were kept so far; the newest of them are still there. */
  readonly kept: { readonly rules: number; readonly others: number };
  /** The last hours that had events, by their start in milliseconds since the epoch. */
  readonly hours: Readonly<Record<string, ZoneCounts>>;
  /** Notices in the outbox and their versions. */
  readonly pending: Readonly<Record<string, number>>;
  /** Notices that were given up. */
  readonly dropped: number;
  /** Why the last notice did not arrive; null: it did. */
  readonly trouble: string | null;
}

export const NO_ZONES: ZonesState = {
  seq: 0,
  watch: NOTHING_SEEN,
  kept: { rules: 0, others: 0 },
  hours: {},
  pending: {},
  dropped: 0,
  trouble: null,
};
