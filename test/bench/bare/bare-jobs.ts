/**
 * A minimal job server in which two components work on each job: Koa and its router, one SQLite file, and two
 * worker processes that fetch and answer many jobs per message. A job takes three synced commits and a synced
 * file for its medium. No actors, leases or validation. Prints its address; ends with its parent.
 */
import { spawn } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import Database from 'better-sqlite3';
import Koa from 'koa';
import { Pool } from 'undici';

const QUEUES = ['inspect', 'detect'] as const;
type Queue = (typeof QUEUES)[number];
const MOST = 64;

interface Message {
  readonly queue: Queue;
  readonly done: readonly string[];
}

const [role, url = '', folder = ''] = process.argv.slice(2);
if (role === undefined) serve();
else await work(role as Queue);

function serve(): void {
  const data = mkdtempSync(path.join(tmpdir(), 'troupe-bare-'));
  const database = new Database(path.join(data, 'jobs.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('create table jobs (id text primary key, state text not null, body text not null) strict');
  const put = database.prepare('insert or replace into jobs values (?, ?, ?)');
  const insertRows = inTransactions<readonly string[]>(database, (row) => void put.run(...row));
  const waiting: Record<Queue, string[]> = { inspect: [], detect: [] };
  const wake: Record<Queue, () => void> = { inspect: () => {}, detect: () => {} };
  const bodies = new Map<string, string>();
  let number = 0;
  const offer = (queue: Queue, id: string) => {
    waiting[queue].push(id);
    wake[queue]();
  };
  const router = new Router();
  router.post('/rest/jobs', async (ctx) => {
    const id = `bare-${++number}`;
    bodies.set(id, JSON.stringify(await json(ctx.req)));
    await insertRows([id, 'inspect', bodies.get(id)!]);
    offer('inspect', id);
    ctx.status = 201;
    ctx.body = { jobId: id };
  });
  router.get('/rest/jobs/:id', (ctx) => void (ctx.body = { terminal: !bodies.has(ctx.params['id']!) }));
  router.post('/work', async (ctx) => {
    const { queue, done } = (await json(ctx.req)) as Message;
    const next = queue === 'inspect' ? 'detect' : 'ended';
    await Promise.all(done.map((id) => insertRows([id, next, bodies.get(id)!])));
    for (const id of done)
      if (next === 'detect') offer(next, id);
      else bodies.delete(id);
    if (waiting[queue].length === 0) await new Promise<void>((resolve) => (wake[queue] = resolve));
    ctx.body = { work: waiting[queue].splice(0, MOST) };
  });
  const handle = new Koa().use(router.routes()).callback();
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1', () => {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const workers = QUEUES.map((queue) =>
      spawn(process.execPath, [fileURLToPath(import.meta.url), queue, address, data]),
    );
    console.log(address);
    process.stdin.resume().on('end', () => {
      for (const worker of workers) worker.kill();
      rmSync(data, { recursive: true, force: true });
      process.exit(0);
    });
  });
}

/** All writes of one turn of the event loop share a transaction. */
function inTransactions<T>(database: Database.Database, write: (one: T) => void): (one: T) => Promise<void> {
  let waiting: { readonly one: T; readonly resolve: () => void }[] = [];
  const all = database.transaction((some: typeof waiting) => some.forEach(({ one }) => write(one)));
  const flush = () => {
    const some = waiting;
    waiting = [];
    all(some);
    for (const { resolve } of some) resolve();
  };
  return (one) =>
    new Promise((resolve) => {
      if (waiting.push({ one, resolve }) === 1) setImmediate(flush);
    });
}

async function work(queue: Queue): Promise<void> {
  const pool = new Pool(url, { connections: 1, bodyTimeout: 0, headersTimeout: 0 });
  for (let done: readonly string[] = []; ;) {
    const message = JSON.stringify({ queue, done } satisfies Message);
    const { body } = await pool.request({ path: '/work', method: 'POST', body: message });
    done = ((await body.json()) as { work: readonly string[] }).work;
    if (queue === 'inspect') done.forEach(keepMedium);
  }
}

function keepMedium(id: string): void {
  const file = openSync(path.join(folder, id), 'w');
  writeFileSync(file, 'x');
  fdatasyncSync(file);
  closeSync(file);
}
