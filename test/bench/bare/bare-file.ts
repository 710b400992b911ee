/** A minimal file server. Argument: path of the file. Prints its address; ends with its parent. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

const file = process.argv[2] ?? '';
const headers = { 'content-type': 'application/json', 'content-length': statSync(file).size };
const server = createServer((_, response) => {
  response.writeHead(200, headers);
  void pipeline(createReadStream(file), response);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.stdin.resume().on('end', () => process.exit(0));
