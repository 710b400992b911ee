/**
 * The contract of the work queue: an index over sub-job rows, not a place where state lives. Whatever is in it can be
 * offered again at any time (by id), and an empty queue with undone rows is repaired by offering them.
 */
export interface WorkItem {
  /** Id of the sub-job; offering it twice is offering it once. */
  readonly id: string;
  /** The queue's name: the algorithm that serves it. */
  readonly queue: string;
  readonly jobId: string;
  /** 0 to 9, 9 first. */
  readonly priority: number;
}

export interface WorkQueue<I extends WorkItem = WorkItem> {
  offer(items: readonly I[]): Promise<void>;
  /** Takes out up to `max` items of these queues: highest priority first, jobs of one priority in turn, a job's items in order. */
  take(queues: readonly string[], max: number): Promise<readonly I[]>;
  /** Takes out the items with these ids; answers those that were there. */
  remove(ids: readonly string[]): Promise<readonly I[]>;
  /** Jobs with at least one item here. */
  jobs(): Promise<ReadonlySet<string>>;
  lengths(): Promise<ReadonlyMap<string, number>>;
  /**
   * Where a job stands in each queue that holds items of it: how many items would be taken from that queue alone before the
   * job's first one, if nothing more were offered.
   */
  ahead(jobId: string): Promise<ReadonlyMap<string, number>>;
}
