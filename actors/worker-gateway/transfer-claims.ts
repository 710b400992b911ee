/** Downloads and uploads are handed out from the lanes of their queues: so many at a time to each user, and from each host. */
import { queueOf, readLane } from '../../protocol/transfers.ts';
import type { Claim, Lease, QueueFigures, WorkLedger } from '../../store/ledger.ts';

/** Transfers of one user from or to one host at a time, at all servers together. */
export const LANE_SLOTS = 8;
/** Transfers of one user at a time; a process has several times as many places. */
export const USER_SLOTS = 32;

type Lanes = ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>;

export interface TransferClaim {
  readonly leases: readonly Lease[];
  /** More waits in these lanes than may be handed out now. */
  readonly waits: boolean;
}

/** Claims transfers of these queues for a process, those of the user with the fewest running transfers first. */
export async function claimTransfers(ledger: WorkLedger, claim: Claim): Promise<TransferClaim> {
  const lanes = new Map<string, { waiting: number; held: number }>();
  for (const [name, { waiting, held }] of await ledger.counts())
    if (claim.queues.includes(queueOf(name))) lanes.set(name, { waiting, held });
  const leases: Lease[] = [];
  while (leases.length < claim.max) {
    const queues = openLanes(lanes);
    if (queues.length === 0) break;
    const [lease] = await ledger.claim({ ...claim, queues, max: 1, inTurn: false });
    if (lease === undefined) {
      // Another server was quicker.
      for (const queue of queues) lanes.get(queue)!.waiting = 0;
      continue;
    }
    leases.push(lease);
    const lane = lanes.get(lease.item.queue)!;
    lane.waiting -= 1;
    lane.held += 1;
  }
  return { leases, waits: [...lanes.values()].some(({ waiting }) => waiting > 0) };
}

/** The lanes that have work and free slots of the user who has the fewest transfers among those with such a lane. */
export function openLanes(lanes: Lanes): readonly string[] {
  const heldBy = new Map<string, number>();
  for (const [name, { held }] of lanes) heldBy.set(userOf(name), (heldBy.get(userOf(name)) ?? 0) + held);
  const open = [...lanes].flatMap(([name, { waiting, held }]) => {
    const user = userOf(name);
    const ofUser = heldBy.get(user) ?? 0;
    return waiting > 0 && held < LANE_SLOTS && ofUser < USER_SLOTS ? [{ name, user, ofUser }] : [];
  });
  const fewest = Math.min(...open.map(({ ofUser }) => ofUser));
  const first = open.find(({ ofUser }) => ofUser === fewest)?.user;
  return open.filter(({ user }) => user === first).map(({ name }) => name);
}

const userOf = (name: string): string => readLane(name)?.user ?? '';
