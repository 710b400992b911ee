/** Events and counts of the zones of streaming jobs, read from the store without loading an actor. */
import type { ZoneCounts } from '../../domain/zones/counts.ts';
import { allRows, type Store } from '../../store/store.ts';
import { STREAMING_JOB } from '../streaming-job/state.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';
import type { ZoneEventInfo } from '../streaming-job/zones/event-info.ts';
import { DAYS_OF_COUNTS, HOUR_ROWS, hourOfRow } from '../streaming-job/zones/hours.ts';
import { OTHER_ROWS, RULE_ROWS } from '../streaming-job/zones/stored-events.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export interface CountedHour extends ZoneCounts {
  /** ISO 8601, UTC. */
  readonly start: string;
}

export class StreamZoneViews {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Newest first. Returns undefined if there is no such job. */
  async events(
    number: number,
    kind: 'RULE' | 'OTHER' | undefined,
    limit: number,
  ): Promise<readonly ZoneEventInfo[] | undefined> {
    if ((await storedStream(this.#store, number)) === undefined) return undefined;
    const found = [
      ...(kind === 'OTHER' ? [] : await this.#bodies<ZoneEventInfo>(number, RULE_ROWS)),
      ...(kind === 'RULE' ? [] : await this.#bodies<ZoneEventInfo>(number, OTHER_ROWS)),
    ];
    return found
      .toReversed()
      .toSorted((a, b) => b.at - a.at)
      .slice(0, limit);
  }

  /** Hours that end after `from`, oldest first. Returns undefined if there is no such job. */
  async hours(number: number, from = -Infinity): Promise<readonly CountedHour[] | undefined> {
    if ((await storedStream(this.#store, number)) === undefined) return undefined;
    const rows: { readonly at: number; readonly body: ZoneCounts }[] = [];
    for await (const { key, body } of allRows(this.#store, actorOf(number), HOUR_ROWS))
      rows.push({ at: hourOfRow(key), body: body as ZoneCounts });
    const oldest = (rows.at(-1)?.at ?? 0) - DAYS_OF_COUNTS * DAY_MS;
    return rows
      .filter(({ at }) => at > oldest && at + HOUR_MS > from)
      .map(({ at, body }) => ({ start: new Date(at).toISOString(), ...body }));
  }

  async #bodies<T>(number: number, prefix: string): Promise<readonly T[]> {
    const found: T[] = [];
    for await (const { body } of allRows(this.#store, actorOf(number), prefix)) found.push(body as T);
    return found;
  }
}

const actorOf = (number: number) => ({ kind: STREAMING_JOB, id: String(number) });
