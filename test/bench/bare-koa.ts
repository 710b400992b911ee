/** The least that could answer a request: Koa and its router with one fixed body. Prints its address; ends with its parent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';

const body = process.argv[2] ?? '{}';
const router = new Router();
router.get('/rest/jobs/:id', (ctx) => {
  ctx.type = 'application/json';
  ctx.body = body;
});
const app = new Koa();
app.use(router.routes());
const handle = app.callback();
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.stdin.resume().on('end', () => process.exit(0));
