/** Reads the answers of the ledger's scripts. */
import { countAhead } from '../../turns/fair-order.ts';
import type { Lease, News, QueueFigures, WorkItem, WorkStatus } from '../../ledger.ts';
import type { QueueNames } from './queue-names.ts';

export type Figures = readonly [queue: string, waiting: number, held: number];
export type ShownNews = readonly [what: string, item: string, token: string, reason: string];
export type Told = readonly [queues: readonly Figures[], news: readonly ShownNews[]];
/** All fields are texts, but the item is missing if it was deleted meanwhile. */
export type ShownLease = readonly string[];

/** Reads a lease as a script returns it, with times of this server's clock. @param now time of that clock */
export function readLease(fields: ShownLease, now: number): Lease {
  const [token, item, worker, ...rest] = fields as readonly [string, string, string, ...string[]];
  const [
    startedAt,
    leaseUntil,
    silentUntil,
    wholeUntil,
    done,
    total,
    cancelled,
    kill,
    inTurn,
    last,
    begun,
    at,
    row = '',
  ] = rest;
  const shift = now - Number(at);
  const here = (time: string | undefined) => (time === 'inf' ? Infinity : Number(time) + shift);
  return {
    token,
    item: JSON.parse(item) as WorkItem,
    worker,
    startedAt: here(startedAt),
    leaseUntil: here(leaseUntil),
    silentUntil: here(silentUntil),
    wholeUntil: here(wholeUntil),
    done: Number(done),
    total: Number(total),
    cancelled: cancelled === '1',
    killAt: kill === '' ? null : here(kill),
    ...(inTurn === '1' ? { inTurn: true } : {}),
    ...(last === '1' ? { last: true } : {}),
    ...(begun === '1' ? { begun: true } : {}),
    ...readRow(row),
  };
}

/** Only a claim returns the row. Invalid JSON is ignored here; the later read of the row reports it. */
function readRow(row: string): Pick<Lease, 'row'> {
  if (row === '') return {};
  try {
    return { row: JSON.parse(row) as unknown };
  } catch {
    return {};
  }
}

export function readNews([what, item, token, reason]: ShownNews): News {
  const of = JSON.parse(item) as WorkItem;
  return what === 'lost' ? { what, item: of, token, reason } : { what: 'dropped', item: of };
}

/** @param names the names of queues on this server */
export function readQueues(answer: unknown, names: QueueNames): ReadonlyMap<string, QueueFigures> {
  const found = answer as readonly (readonly [...Figures, string])[];
  return new Map(
    found.flatMap(([queue, waiting, held, oldest]) =>
      names
        .ownName(queue)
        .map((name) => [name, { waiting, held, oldestMs: Math.max(0, Number(oldest)) }] as const),
    ),
  );
}

type ShownPlace = readonly [
  user: string,
  weight: number,
  held: number,
  pass: string,
  turn: string,
  waiting: number,
];
type ShownLevel = readonly [time: string, places: readonly ShownPlace[]];
/** Items above its level, its actor's turn among those of its user, and the number of its level (0 if there are no shares). */
type ShownAhead = readonly [queue: string, above: number, rank: number, user: string, level: number];

/** @param now time of this server's clock */
export function readStatus([found, shown]: readonly unknown[], now: number): readonly WorkStatus[] {
  const levels = (shown as readonly ShownLevel[]).map(([time, places]) => ({
    time: Number(time),
    places: places.map(([user, weight, held, pass, turn, waiting]) => ({
      ...{ user, weight, held, waiting },
      ...{ pass: Number(pass), turn: Number(turn) },
    })),
  }));
  const aheadOf = ([queue, above, rank, user, number]: ShownAhead): readonly [string, number] => {
    const level = levels[number - 1];
    const mine = level?.places.find((place) => place.user === user);
    if (level === undefined || mine === undefined) return [queue, above + rank];
    return [queue, above + rank + countAhead(level.places, mine, rank, level.time)];
  };
  return (found as readonly (readonly [readonly ShownLease[], readonly ShownAhead[]])[]).map(
    ([leases, ahead]) => ({
      leases: leases.map((lease) => readLease(lease, now)),
      ahead: new Map(ahead.map(aheadOf)),
    }),
  );
}
