/** Runs zones and rules on the findings in a medium, over the index of its document. */
import type { Database } from 'better-sqlite3';
import type { Properties } from '../../domain/types.ts';
import { UNAVAILABLE, type Unavailable } from '../../domain/tracks/viewing.ts';
import { addEvent, NO_COUNTS } from '../../domain/zones/counts.ts';
import { MOST_RUN_EVENTS, runnablePlan, type ZoneQuery, type ZoneRun } from '../../domain/zones/dry-run.ts';
import type { Sighting, ZoneEvent } from '../../domain/zones/types.ts';
import { ZoneWatch } from '../../domain/zones/watch.ts';
import { extentOf, sizeOf, type Covered } from './count.ts';

interface SeenBox extends Covered {
  readonly frame: number;
  readonly ms: number;
  readonly track: number;
  readonly id: string;
  readonly type: string;
  readonly class: string | null;
  readonly confidence: number;
}

const BOXES = `SELECT frame, ms, track, id, type, json_extract(properties, '$.CLASSIFICATION') AS class,
    x, y, width, height, corners, boxes.confidence AS confidence
  FROM boxes JOIN tracks ON tracks.medium = boxes.medium AND tracks.n = boxes.track
    JOIN lanes ON lanes.medium = tracks.medium AND lanes.lane = tracks.lane
  WHERE boxes.medium = ? ORDER BY frame, track`;

/** Receives the properties of a track by the zones and lines that it touched: empty if it touched none. */
type MarkTrack = (track: number, properties: Properties) => void;

/** Number of boxes in a step. */
const STEP = 20_000;

export function runZones(db: Database, medium: number, query: ZoneQuery): ZoneRun | Unavailable {
  const steps = runZonesInSteps(db, medium, query);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Yields between steps, because a medium may have millions of boxes. */
export function* runZonesInSteps(
  db: Database,
  medium: number,
  query: Pick<ZoneQuery, 'plan' | 'startsAt'>,
  mark: MarkTrack = () => undefined,
): Generator<void, ZoneRun | Unavailable> {
  const size = sizeOf(db, medium);
  if (size === undefined) return UNAVAILABLE;
  const { plan, warnings } = runnablePlan(query);
  const watch = new ZoneWatch(plan);
  const run = new Run(query.startsAt ?? 0);
  const lastFrames = lastFramesOf(db, medium);
  /** Open tracks with their last frames. */
  const open = new Map<number, number>();
  let boxes = 0;
  for (const box of db.prepare<[number], SeenBox>(BOXES).iterate(medium)) {
    if (++boxes % STEP === 0) yield;
    for (const [track, last] of open) {
      if (last >= box.frame) continue;
      mark(track, watch.propertiesOf(String(track)));
      run.add(watch.end(String(track)));
      open.delete(track);
    }
    open.set(box.track, lastFrames.get(box.track)!);
    run.add(watch.see(sightingOf(box, run.startsAt), size));
  }
  for (const track of open.keys()) mark(track, watch.propertiesOf(String(track)));
  run.add(watch.endAll());
  return { ...run.result, warnings };
}

function lastFramesOf(db: Database, medium: number): ReadonlyMap<number, number> {
  const rows = db
    .prepare<[number], { track: number; last: number }>(
      'SELECT track, max(frame) AS last FROM boxes WHERE medium = ? GROUP BY track',
    )
    .all(medium);
  return new Map(rows.map(({ track, last }) => [track, last]));
}

function sightingOf(seen: SeenBox, startsAt: number): Sighting {
  const { track, type, class: classification, confidence, frame, ms } = seen;
  const { left, top, right, bottom } = extentOf(seen);
  return {
    ...{ track: String(track), type, classification: classification ?? undefined, confidence, frame },
    at: startsAt + ms,
    box: { x: left, y: top, width: right - left, height: bottom - top },
  };
}

class Run {
  readonly startsAt: number;
  readonly #events: ZoneEvent[] = [];
  #omitted = 0;
  #counts = NO_COUNTS;
  readonly #most = new Map<string, number>();

  constructor(startsAt: number) {
    this.startsAt = startsAt;
  }

  get result(): Omit<ZoneRun, 'warnings'> {
    const most = Object.fromEntries(this.#most);
    return { events: this.#events, omitted: this.#omitted, counts: this.#counts, most };
  }

  add(events: readonly ZoneEvent[]): void {
    for (const event of events) this.#addOne(event);
  }

  #addOne(event: ZoneEvent): void {
    this.#counts = addEvent(this.#counts, event);
    if (event.type === 'entered')
      this.#most.set(event.zone, Math.max(event.occupancy, this.#most.get(event.zone) ?? 0));
    if (event.type === 'trackBegan' || event.type === 'trackEnded') return;
    if (this.#events.length >= MOST_RUN_EVENTS) this.#omitted++;
    else this.#events.push(this.#ofMedium(event));
  }

  /** The event with times of the medium. */
  #ofMedium(event: ZoneEvent): ZoneEvent {
    const at = event.at - this.startsAt;
    return 'since' in event ? { ...event, at, since: event.since - this.startsAt } : { ...event, at };
  }
}
