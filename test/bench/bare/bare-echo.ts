/**
 * A minimal server for messages: responds with the number of bytes in the query `bytes`. Prints its address;
 * ends with its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  const bytes = Number(/bytes=(\d+)/.exec(request.url ?? '')?.[1] ?? 2);
  request.resume().once('end', () => response.end('x'.repeat(bytes)));
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.stdin.resume().on('end', () => process.exit(0));
