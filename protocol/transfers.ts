/**
 * Queues of downloads and uploads, which wait for other hosts. They have a lane for each user and host. So neither a slow host nor a user
 * with many transfers delays others. A lane is its own queue in the work ledger, from which a fixed number of items is handed out at a
 * time.
 */
import { MEDIA_QUEUES } from './worker-protocol.ts';

/** The queues that have lanes. */
export const TRANSFER_QUEUES: readonly string[] = [
  MEDIA_QUEUES.DOWNLOAD,
  MEDIA_QUEUES.UPLOAD,
  MEDIA_QUEUES.COPY,
];

export interface Lane {
  readonly queue: string;
  /** With its port, as in URLs. */
  readonly host: string;
  readonly user: string;
}

/** The ledger's queue for transfers of a user from or to the host of an address. */
export function laneName(queue: string, url: string, user: string): string {
  const host = URL.canParse(url) ? new URL(url).host : '';
  return [queue, host, encodeURIComponent(user)].join(SEPARATOR);
}
const SEPARATOR = '/';

/** Parses the name of a lane. Returns undefined if the queue is no lane. */
export function readLane(name: string): Lane | undefined {
  const [queue = '', host, user] = name.split(SEPARATOR);
  if (host === undefined || user === undefined || !TRANSFER_QUEUES.includes(queue)) return undefined;
  return { queue, host, user: decodeURIComponent(user) };
}

/** The queue as clients and services know it: for a lane, the queue to which it belongs. */
export const queueOf = (name: string): string => readLane(name)?.queue ?? name;

/** Sums the figures of lanes for each queue that clients and services know. */
export function withoutLanes<F extends { readonly waiting: number; readonly held: number }>(
  figures: ReadonlyMap<string, F>,
): ReadonlyMap<string, F> {
  const queues = new Map<string, F>();
  for (const [name, figure] of figures) {
    const queue = queueOf(name);
    const { waiting = 0, held = 0 } = queues.get(queue) ?? {};
    queues.set(queue, { ...figure, waiting: figure.waiting + waiting, held: figure.held + held });
  }
  return queues;
}
