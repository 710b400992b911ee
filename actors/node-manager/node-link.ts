/** The reports of a node manager to its server. In the server itself these are calls; on another host they are messages. */
export interface NodeLink {
  /** Releases the leases of a process that has ended. `counted`: the process itself caused its end. */
  releaseWorker(worker: string, counted: boolean, reason: string): void;
  /** Reports that no service of this node can serve this queue any more. */
  unavailable(queue: string, reason: string): void;
  /** Reports that other services can work now, so that waiting work is announced again. */
  onConfigured(): void;
  /** True if the server is reachable, so that a process could have asked it for work by now. */
  reaches(): boolean;
}
