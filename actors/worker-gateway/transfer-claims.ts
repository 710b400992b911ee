/** Claims of downloads and uploads from the lanes of their queues, with limits for each user and each host. */
import { queueOf, readLane } from '../../protocol/transfers.ts';
import type { Claim, Lease, QueueFigures, WorkLedger } from '../../store/ledger.ts';

/** Maximum number of simultaneous transfers of one user from or to one host, at all servers together. */
export const LANE_SLOTS = 8;
/** Maximum number of simultaneous transfers of one user. A process has several times this number of places. */
export const USER_SLOTS = 32;

type Lanes = ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>;

export interface TransferClaim {
  readonly leases: readonly Lease[];
  /** True if more transfers wait in these lanes than may be claimed now. */
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
      // Another server has claimed the work first.
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

/** Returns open lanes of one user: lanes with work and free slots, of the user with the fewest transfers. */
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
