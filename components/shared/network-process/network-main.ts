/** The process that runs networks for other processes of this host. Its parent gives it their connections, and it ends with its parent. */
import type { Socket } from 'node:net';
import { NetworkServer } from './network-server.ts';

/** Interval of the reports to the parent, which ends a process that sends none or has no connections, in milliseconds. */
const REPORT_MS = 2_000;

const server = new NetworkServer();
const report = () => process.send?.(server.connections);
process.on('disconnect', () => process.exit(0));
process.on('message', (_message, connection) => {
  server.serve(connection as Socket | undefined);
  report();
});
report();
setInterval(report, REPORT_MS);
