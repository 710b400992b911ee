/**
 * A minimal HTTP server: Koa and its router with a fixed body. With an issuer as second argument it verifies
 * tokens like most services: koa-jwt with keys fetched by jwks-rsa. Prints its address; ends with its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import jwt from 'koa-jwt';
import jwksRsa from 'jwks-rsa';

const body = process.argv[2] ?? '{}';
const issuer = process.argv[3];
const router = new Router();
router.get('/rest/jobs/:id', (ctx) => {
  ctx.type = 'application/json';
  ctx.body = body;
});
const app = new Koa();
if (issuer !== undefined)
  app.use(jwt({ secret: await keysOf(issuer), issuer, algorithms: ['RS256', 'ES256'] }));
app.use(router.routes());
const handle = app.callback();
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.stdin.resume().on('end', () => process.exit(0));

async function keysOf(issuer: string) {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri: jwksUri } = (await answer.json()) as { jwks_uri: string };
  return jwksRsa.koaJwtSecret({ jwksUri, cache: true, cacheMaxAge: 600_000 });
}
