/** Arguments of the ledger's scripts. */
import { actorName } from '../../actor-key.ts';
import type { Claim, WorkChange, WorkItem } from '../../ledger.ts';
import { expiryReason, type Expiry } from '../../leases.ts';
import type { Knowledge, RedisLedgerDeps } from './ledger-deps.ts';
import type { QueueNames } from './queue-names.ts';
import type { Argument } from '../scripts.ts';

export const LEDGER_VERBS = [
  ...(['work/offer', 'work/withdraw', 'work/claim', 'work/release', 'work/reject', 'work/forget'] as const),
  ...(['work/gone', 'work/unavailable', 'work/news', 'work/dismiss', 'work/known', 'work/announce'] as const),
  ...(['work/queues', 'work/status', 'leases/beat', 'leases/arriving', 'leases/answer-of'] as const),
  ...(['leases/look', 'leases/expire', 'leases/all'] as const),
  ...(['servers/alive', 'servers/left', 'servers/cut', 'servers/there', 'servers/schemas'] as const),
] as const;
export type LedgerVerb = (typeof LEDGER_VERBS)[number];

/** The arguments for the work of a commit, which follow all others. */
export function changeWords(
  { offer = [], prioritize = [], withdraw = [], settle = [], clear = false }: WorkChange = {},
  context: ItemContext,
): readonly Argument[] {
  return [
    ...[settle.length, ...settle, clear ? 1 : 0],
    ...itemWords(prioritize, context),
    ...itemWords(withdraw, context),
    ...itemWords(offer, context),
  ];
}

interface ItemContext {
  readonly names: QueueNames;
  /** Weight of an item's user in comparison to other users. */
  weightOf(item: WorkItem): number;
}

export function itemWords(items: readonly WorkItem[], { names, weightOf }: ItemContext): readonly Argument[] {
  const words = items.flatMap((item) => [
    item.id,
    names.nameForAll(item.queue),
    item.priority,
    actorName(item.actor),
    item.attempt,
    JSON.stringify(item),
    item.user ?? '',
    weightOf(item),
  ]);
  return [items.length, ...words];
}

interface ClaimContext {
  /** Number of earlier claims. */
  readonly turn: number;
  /** Tokens of equal length. */
  readonly tokens: readonly string[];
  readonly schemas: Knowledge['schemas'];
  readonly names: QueueNames;
  /** Redis names of the queues that this server has reported as unable to serve. */
  readonly unable: ReadonlySet<string>;
}

export function claimWords(
  { queues, max, worker, lasting = false, inTurn = false }: Claim,
  { turn, tokens, schemas, names, unable }: ClaimContext,
): readonly Argument[] {
  // A worker of several queues begins with another queue at each claim, so that no queue starves.
  const first = turn % queues.length;
  const wanted = [...queues.slice(first), ...queues.slice(0, first)].map((queue) => names.nameForAll(queue));
  const known = Object.entries(schemas);
  const refused = wanted.filter((queue) => unable.has(queue));
  return [
    ...[worker, lasting ? 1 : 0, inTurn ? 1 : 0, max],
    ...[known.length, ...known.flat(), tokens.join('')],
    ...[wanted.length, ...wanted],
    ...[refused.length, ...refused],
  ];
}

/** Expiries in the order in which the script reads their reasons. */
const EXPIRIES: readonly Expiry[] = ['cancelled', 'lease', 'silence', 'whole'];

/** Most leases that expire in one call; the next call handles more. */
const ENDED_AT_A_TIME = 1_000;

export function expireWords(
  stalledMs: number,
  { gapMs = Number.MAX_SAFE_INTEGER, settings }: Pick<RedisLedgerDeps, 'gapMs' | 'settings'>,
): readonly Argument[] {
  const reasons = EXPIRIES.map((expiry) => expiryReason(expiry, settings));
  return [stalledMs, gapMs, ENDED_AT_A_TIME, ...reasons];
}
