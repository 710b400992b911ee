/**
 * Event streams of clients that read slowly or not at all, over real HTTP. The test generates the changes of
 * the job.
 */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import type { OperationInfo } from '../../../actors/operations/views.ts';
import type { JobListWatch } from '../../../actors/views/jobs/job-list-watch.ts';
import type { JobWatch, JobWatcher } from '../../../actors/views/jobs/job-watch.ts';
import type { JobProgressEvent } from '../../../actors/views/jobs/job-info.ts';
import { JobAccess } from '../../../http/users/job-access.ts';
import { jobEventEndpoints } from '../../../http/endpoints/jobs/job-events.ts';
import { EventStreams } from '../../../http/events/event-streams.ts';
import { route } from '../../../http/routes.ts';
import { until, within } from '../../support/until.ts';

const MIB = 1024 * 1024;
const CHANGES = 64;

/** A large change event. */
const change = (n: number, terminal = false): JobProgressEvent => ({
  jobId: 'host-1',
  jobStatus: 'IN_PROGRESS',
  jobProgress: n,
  terminal,
  stage: 'TASK',
  task: null,
  waitingFor: { kind: 'QUEUE', reason: 'x'.repeat(MIB) },
  remaining: null,
});

describe('An event stream', () => {
  let http: Server;
  let watchers: Set<JobWatcher>;

  async function serve(heartbeatMs: number): Promise<void> {
    watchers = new Set();
    const watch = {
      watch(_: number, watcher: JobWatcher) {
        watchers.add(watcher);
        watcher.onChange(change(0));
        return Promise.resolve(() => watchers.delete(watcher));
      },
    } as unknown as JobWatch;
    // No client watches the list or operations in this test.
    const lists = {} as JobListWatch;
    const operations = {} as JobWatch<OperationInfo>;
    const eventStreams = new EventStreams(watch, lists, operations, { maxStreams: 1, heartbeatMs });
    const jobAccess = new JobAccess({ visibility: 'all', findJob: () => Promise.resolve(undefined) });
    const router = route(new Router(), jobEventEndpoints, { eventStreams, jobAccess });
    const app = new Koa();
    app.silent = true;
    app.use(router.routes());
    const handle = app.callback();
    http = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
    await once(http, 'listening');
  }
  afterEach(async () => {
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
  });

  const open = () =>
    within(
      5_000,
      'the stream opens',
      new Promise<IncomingMessage>((resolve, reject) => {
        const { port } = http.address() as AddressInfo;
        get({ port, host: '127.0.0.1', path: '/rest/jobs/1/events', agent: false }, resolve).once(
          'error',
          reject,
        );
      }),
    );
  const tell = async () => {
    for (let n = 1; n < CHANGES; n++) {
      for (const watcher of watchers) watcher.onChange(change(n));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  it('leaves out what a slow client has not read in time, and gives it what is last', async () => {
    await serve(60_000);
    const response = await open();
    await tell();
    for (const watcher of watchers) {
      watcher.onChange(change(100, true));
      watcher.onEnd();
    }
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += piece as string;
    const told = [...text.matchAll(/"jobProgress":(\d+)/g)].map(([, progress]) => Number(progress));
    expect([told[0], told.at(-1)]).to.deep.equal([0, 100]);
    expect(told.length).to.be.below(CHANGES / 2);
    expect(told).to.deep.equal(told.toSorted((a, b) => a - b));
    await until('its place is free', () => watchers.size === 0);
  });

  it('is cut off when the client has read nothing from one sign of life to the next but one', async () => {
    await serve(50);
    const response = await open();
    const cut = new Promise((resolve) => response.once('close', resolve));
    response.on('error', () => undefined);
    await tell();
    await until('nobody watches', () => watchers.size === 0);
    response.resume();
    await within(5_000, 'the stream is cut off', cut);
    expect(response.complete).to.equal(false);
    expect((await open()).statusCode, 'there is room for another').to.equal(200);
  });

  it('is freed when the client hangs up at any moment', async () => {
    await serve(60_000);
    for (let n = 0; n < 20; n++) {
      const { port } = http.address() as AddressInfo;
      const request = get({ port, host: '127.0.0.1', path: '/rest/jobs/1/events', agent: false });
      request.on('error', () => undefined);
      if (n % 2 === 0) await within(5_000, 'it is answered', once(request, 'response'));
      else await within(5_000, 'it is sent', once(request, 'finish'));
      request.destroy();
      await until('nobody watches', () => watchers.size === 0);
    }
    // The server may notice the closed connection of the last client with a delay.
    await until('there is room', async () => (await open()).statusCode === 200);
  });
});
