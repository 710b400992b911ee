/**
 * The newest events of a stream, as rows of the job. Events of rules are stored separately, so that many other events do not displace them.
 */
import type { WatchedEvent } from '../../../protocol/streams.ts';
import type { Row } from '../../../store/store.ts';
import { infoOfEvent, kindOfEvent, type EventSource } from './event-info.ts';
import type { EventKind, ZonesState } from './record.ts';

export const RULE_ROWS = 'rule-event/';
export const OTHER_ROWS = 'zone-event/';
/** Number of rows that are removed together. */
const CHUNK = 100;
/** Number of chunks of the newest events that are kept. */
const CHUNKS = 5;
const DIGITS = 15;

const chunkKey = (prefix: string, chunk: number): string =>
  `${prefix}${String(chunk).padStart(DIGITS, '0')}/`;

export interface KeptEvents {
  readonly kept: ZonesState['kept'];
  readonly putRows: readonly Row[];
  readonly removeRows: readonly string[];
}

export function keepEvents(
  job: EventSource,
  kept: ZonesState['kept'],
  events: readonly WatchedEvent[],
  kinds: readonly EventKind[],
): KeptEvents {
  const rules = series(RULE_ROWS, kept.rules);
  const others = series(OTHER_ROWS, kept.others);
  for (const event of events) {
    const kind = kindOfEvent(event);
    if (!kinds.includes(kind)) continue;
    // Pictures are stored only for events of rules, because others would fill the store.
    const { crop: _, cropFrame: __, cropAt: ___, ...plain } = event;
    if (kind === 'RULE') rules.add(infoOfEvent(job, event));
    else others.add(infoOfEvent(job, plain));
  }
  return {
    kept: { rules: rules.count(), others: others.count() },
    putRows: [...rules.rows, ...others.rows],
    removeRows: [...rules.removed, ...others.removed],
  };
}

function series(prefix: string, from: number) {
  let next = from;
  const rows: Row[] = [];
  const removed: string[] = [];
  return {
    rows,
    removed,
    count: () => next,
    add(body: object) {
      const chunk = Math.floor(next / CHUNK);
      if (next % CHUNK === 0 && chunk >= CHUNKS) removed.push(chunkKey(prefix, chunk - CHUNKS));
      rows.push({ key: `${chunkKey(prefix, chunk)}${String(next).padStart(DIGITS, '0')}`, body });
      next += 1;
    },
  };
}
