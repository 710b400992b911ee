/**
 * Pending webhooks and messages for the events of a stream. Webhooks wait in the outbox until they arrive or are given up. For a broker,
 * the newest state of each topic waits, and a limited number of events: a long outage drops the oldest.
 */
import type { Notice } from '../../../store/store.ts';
import type { WatchedEvent } from '../../../protocol/streams.ts';
import type { MqttMessage } from '../../../protocol/mqtt-message.ts';
import { destinationOf, type HttpNotice } from '../../delivery/notice.ts';
import type { StreamingJobRecord } from '../state.ts';
import { infoOfEvent, kindOfEvent, type ZoneEventInfo } from './event-info.ts';
import {
  cropMessage,
  discoveryMessages,
  eventMessage,
  noCropMessage,
  occupancyMessage,
  statusMessage,
  type NamedMessage,
} from './mqtt-messages.ts';
import type { MqttReceiver, ZonesState } from './record.ts';

/** Maximum number of pending webhooks. More are dropped and counted. */
const MOST_WEBHOOKS = 1_000;
/** Maximum number of pending events for a broker. The oldest are dropped and counted. */
const MOST_MESSAGES = 200;
const WEBHOOK = '.hook';
const MESSAGE = '.mqtt';

export interface NoticeChanges {
  readonly state: ZonesState;
  readonly put: readonly Notice[];
  readonly remove: readonly string[];
}

type Record = Pick<StreamingJobRecord, 'number' | 'zones' | 'callbackSecrets' | 'recording'>;

/** Returns the webhooks and messages for these events. Their links begin with `baseUrl`, if it is known. */
export function noticesOfEvents(
  record: Record,
  state: ZonesState,
  events: readonly WatchedEvent[],
  { at, baseUrl }: { readonly at: number; readonly baseUrl?: string | undefined },
): NoticeChanges {
  const { receivers } = record.zones!;
  const outbox = new Outbox(record, state, at);
  for (const event of events) {
    if (!receivers.kinds.includes(kindOfEvent(event))) continue;
    const info = infoOfEvent(record, event, baseUrl);
    outbox.post(info);
    if (receivers.mqtt !== undefined) outbox.publishEvent(receivers.mqtt, info);
  }
  if (receivers.mqtt !== undefined)
    for (const [zone, occupancy] of occupancies(events))
      outbox.publishNewest(occupancyMessage({ mqtt: receivers.mqtt }, zone, occupancy, at));
  return outbox.result();
}

/** Returns the messages at the start or the end of a stream. `except`: names of messages that the stream replacing it sends. */
export function noticesOfLife(
  record: Record,
  state: ZonesState,
  isThere: boolean,
  at: number,
  except: readonly string[] = [],
): NoticeChanges {
  const outbox = new Outbox(record, state, at);
  for (const one of messagesOfLife(record, isThere, at))
    if (!except.includes(one.name)) outbox.publishNewest(one);
  return outbox.result();
}

function messagesOfLife({ zones, number }: Record, isThere: boolean, at: number): readonly NamedMessage[] {
  const mqtt = zones?.receivers.mqtt;
  if (zones === undefined || mqtt === undefined) return [];
  return [
    ...discoveryMessages({ plan: zones.plan, mqtt, number }, isThere),
    ...zones.plan.zones.map(({ name }) => occupancyMessage({ mqtt }, name, 0, at)),
    ...(isThere ? [] : zones.plan.rules.map(({ name }) => noCropMessage({ mqtt }, name))),
    statusMessage({ mqtt }, isThere),
  ];
}

/** Returns the names of newest messages that the next stream publishes in place of this one. */
export function inheritedMessages(record: Record, next: Record): readonly string[] {
  const [mine, other] = [record.zones?.receivers.mqtt, next.zones?.receivers.mqtt];
  if (mine === undefined || mine.url !== other?.url || mine.topic !== other.topic) return [];
  return messagesOfLife(next, true, 0).map(({ name }) => name);
}

function occupancies(events: readonly WatchedEvent[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const event of events)
    if (event.type === 'entered' || event.type === 'left') last.set(event.zone, event.occupancy);
  return last;
}

class Outbox {
  readonly #record: Record;
  readonly #state: ZonesState;
  readonly #at: number;
  readonly #pending: Map<string, number>;
  readonly #put = new Map<string, Notice>();
  readonly #remove = new Set<string>();
  #dropped: number;

  constructor(record: Record, state: ZonesState, at: number) {
    this.#record = record;
    this.#state = state;
    this.#at = at;
    this.#pending = new Map(Object.entries(state.pending));
    this.#dropped = state.dropped;
  }

  post(info: ZoneEventInfo): void {
    const { callbackUri } = this.#record.zones!.receivers;
    if (callbackUri === undefined) return;
    if (this.#count(WEBHOOK) >= MOST_WEBHOOKS) return void this.#dropped++;
    const body = { type: `stream.${info.event}`, timestamp: info.time, data: info };
    this.#add(`${info.id}${WEBHOOK}`, { kind: 'callback', url: callbackUri, body });
  }

  publishEvent(mqtt: MqttReceiver, info: ZoneEventInfo): void {
    if (this.#count(MESSAGE) >= MOST_MESSAGES) this.#dropOldest();
    this.#publish(`${info.id}${MESSAGE}`, eventMessage({ mqtt }, info));
    const crop = cropMessage({ mqtt }, info);
    if (crop !== undefined) this.publishNewest(crop);
  }

  #publish(id: string, message: MqttMessage): void {
    this.#add(id, { kind: 'mqtt', url: this.#record.zones!.receivers.mqtt!.url, body: message });
  }

  /** Publishes a message that replaces the earlier one of the same name. */
  publishNewest({ name, message }: NamedMessage): void {
    this.#publish(`newest.${name.replaceAll('.', '_')}`, message);
  }

  result(): NoticeChanges {
    const state = { ...this.#state, pending: Object.fromEntries(this.#pending), dropped: this.#dropped };
    return { state, put: [...this.#put.values()], remove: [...this.#remove] };
  }

  #count(suffix: string): number {
    let found = 0;
    for (const id of this.#pending.keys()) if (id.endsWith(suffix)) found++;
    return found;
  }

  #dropOldest(): void {
    const oldest = [...this.#pending.keys()].find((id) => id.endsWith(MESSAGE))!;
    this.#pending.delete(oldest);
    if (!this.#put.delete(oldest)) this.#remove.add(oldest);
    this.#dropped++;
  }

  #add(name: string, { kind, url, body }: Pick<HttpNotice, 'kind' | 'url' | 'body'>): void {
    const { number, callbackSecrets: secrets } = this.#record;
    const id = `stream-${number}.${name}`;
    // The version: a later notice of the same name is a different notice.
    const createdAt = Math.max(this.#at, (this.#pending.get(id) ?? 0) + 1);
    const notice: HttpNotice = {
      ...{ kind, method: 'POST', url, body, addToken: false, createdAt, attempts: 0 },
      ...(secrets === undefined || kind !== 'callback' ? {} : { secrets }),
    };
    this.#pending.delete(id);
    this.#pending.set(id, createdAt);
    this.#put.set(id, { id, destination: destinationOf(url), due: createdAt, body: notice });
  }
}
