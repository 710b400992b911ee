/** The reports of a node manager to its server. In the server itself these are calls; on another host they are messages. */
export interface NodeLink {
  /** The process is gone, and with it what it held; `counted` when its end was its own doing. */
  releaseWorker(worker: string, counted: boolean, reason: string): void;
  /** No service of this node is able to serve this queue any more. */
  unavailable(queue: string, reason: string): void;
  /** Other services are able to work now: whoever knows what waits says so again. */
  onConfigured(): void;
  /** The server is there: a process that has not asked it for work by now could have done so. */
  reaches(): boolean;
}
