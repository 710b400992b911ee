/** What scripts of the ledger answer. */
import type { Lease, News, QueueFigures, WorkItem, WorkStatus } from '../../ledger.ts';
import type { QueueNames } from './queue-names.ts';

export type Figures = readonly [queue: string, waiting: number, held: number];
export type ShownNews = readonly [what: string, item: string, token: string, reason: string];
export type Told = readonly [queues: readonly Figures[], news: readonly ShownNews[]];
/** All are texts but the item, which is not there when somebody has removed it meanwhile. */
export type ShownLease = readonly string[];

/** A lease as a script shows it, in the time of this server's clock. @param now of that clock */
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
  };
}

export function readNews([what, item, token, reason]: ShownNews): News {
  const of = JSON.parse(item) as WorkItem;
  return what === 'lost' ? { what, item: of, token, reason } : { what: 'dropped', item: of };
}

/** @param names by which this server knows the queues */
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

/** @param now of this server's clock */
export const readStatus = (answer: unknown, now: number): readonly WorkStatus[] =>
  (answer as readonly (readonly [readonly ShownLease[], readonly [string, number][]])[]).map(
    ([leases, ahead]) => ({
      leases: leases.map((lease) => readLease(lease, now)),
      ahead: new Map(ahead),
    }),
  );
