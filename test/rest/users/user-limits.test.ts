/** Limits per user. */
import { once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'chai';
import type { Answer } from '../../support/processes/service.ts';
import { sampleUri } from '../../support/processes/service.ts';
import { ServiceWithRoles, type Client } from '../../support/roles.ts';

const HELLO = sampleUri('hello-world.png');
const JOB = { media: [{ mediaUri: HELLO }], pipelineName: 'ABSENT PIPELINE' };
const STREAM = {
  enableOutputToDisk: false,
  stream: { streamUri: 'rtsp://127.0.0.1:9/none', segmentSize: 100 },
  stallTimeout: -1,
  pipelineName: 'MOTION DETECTION PIPELINE',
};

describe('With USER_LIMITS and MAX_USER_PRIORITY', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.here({
      USER_LIMITS: 'jobs=2, uploads=1',
      MAX_USER_PRIORITY: '3',
    });
  });
  after(() => roles.close());

  const create = (client: Client, more: object = {}) =>
    roles.as(client, 'POST', '/rest/jobs', { ...JOB, ...more });
  const createOnce = async () => {
    const headers = { authorization: `Bearer ${await roles.token('user')}`, 'idempotency-key': 'k' };
    return roles.service.ask('POST', '/rest/jobs', JOB, headers);
  };
  const idOf = ({ body }: Answer) => (body as { jobId: string }).jobId;
  const messageOf = ({ body }: Answer) =>
    (body as { coreResponse: { message: string } }).coreResponse.message;

  it('a user has so many live jobs, over which 429 names the limit', async () => {
    const jobs = [await create('user'), await createOnce()];
    expect(jobs.map(({ status }) => status)).to.deep.equal([201, 201]);
    const repeat = await createOnce();
    expect([repeat.status, idOf(repeat)], 'a repeated request').to.deep.equal([201, idOf(jobs[1]!)]);
    const refused = await create('user', { externalId: 'x' });
    expect(refused.status).to.equal(429);
    expect(messageOf(refused)).to.equal(
      "Failure creating job with external id 'x'. You have reached the limit of 2 live jobs (USER_LIMITS). Try again in 10 seconds.",
    );
    expect(
      ['retry-after', 'ratelimit-policy', 'ratelimit'].map((name) => refused.headers.get(name)),
    ).to.deep.equal(['10', '"jobs";q=2', '"jobs";r=0;t=10']);
    expect((await create('colleague')).status, 'another user').to.equal(201);
    for (let n = 0; n < 3; n++) expect((await create('admin')).status, 'an ADMIN').to.equal(201);
    const dry = await roles.as('user', 'POST', '/rest/jobs?dryRun=true', JOB);
    expect(dry.status, 'a dry run').to.equal(200);
    for (const job of jobs) await roles.as('user', 'POST', `/rest/jobs/${idOf(job)}/cancel`);
    for (const job of jobs) await roles.service.terminal(idOf(job));
    expect((await create('user')).status, 'after their end').to.equal(201);
    const again = await roles.as('user', 'POST', `/rest/jobs/${idOf(jobs[0]!)}/resubmit`);
    expect(again.status, 'a resubmitted job counts').to.equal(200);
    expect((await roles.as('user', 'POST', `/rest/jobs/${idOf(jobs[1]!)}/resubmit`)).status).to.equal(429);
  });

  it('a user has no higher priority, and the default is lowered to it', async () => {
    const refused = await create('colleague', { priority: 4 });
    expect([refused.status, messageOf(refused)]).to.deep.equal([
      400,
      'Failure creating job. The priority is 4, but a user without the role ADMIN may use at most 3 (MAX_USER_PRIORITY).',
    ]);
    const job = await create('colleague');
    const { body } = await roles.as('colleague', 'GET', `/rest/jobs/${idOf(job)}`);
    expect(body).to.include({ jobPriority: 3 });
    expect((await create('admin', { priority: 9 })).status).to.equal(201);
  });

  it('a user has so many uploads at a time', async () => {
    const headers = {
      authorization: `Bearer ${await roles.token('user')}`,
      'content-type': 'image/png',
    };
    const slow = request(`${roles.service.url}/rest/media`, { method: 'POST', headers });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      slow.on('response', (answer) => resolve(answer.resume().statusCode));
      slow.on('error', reject);
    });
    // The server must have accepted this request before the next one is sent.
    slow.setHeader('expect', '100-continue');
    slow.flushHeaders();
    await once(slow, 'continue', { signal: AbortSignal.timeout(30_000) });
    slow.write('half');
    const other = () => fetch(`${roles.service.url}/rest/media`, { method: 'POST', headers, body: 'whole' });
    const refused = await other();
    expect(refused.headers.get('ratelimit-policy')).to.equal('"uploads";q=1');
    expect(await refused.json()).to.include({
      code: 'limit-reached',
      message: 'You have reached the limit of 1 uploads at a time (USER_LIMITS). Try again in 10 seconds.',
    });
    slow.end();
    expect(await answered).to.equal(201);
    expect((await other()).status).to.equal(201);
  });
});

describe('With a limit of streams and requests', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.here({ USER_LIMITS: 'streams=1,requests=5' });
  });
  after(() => roles.close());

  it('a user has so many live streaming jobs, and sends so many requests a minute', async () => {
    const create = (client: Client) => roles.as(client, 'POST', '/rest/streaming/jobs', STREAM);
    const first = await create('user');
    expect([first.status, first.headers.get('ratelimit')]).to.satisfy(
      ([status, told]: [number, string]) => status === 201 && /^"requests";r=4;t=\d+$/.test(told),
    );
    const refused = await create('user');
    expect([refused.status, refused.headers.get('ratelimit-policy')]).to.deep.equal([429, '"streams";q=1']);
    for (let n = 0; n < 3; n++) expect((await roles.as('user', 'GET', '/rest/info')).status).to.equal(200);
    const over = await roles.as('user', 'GET', '/rest/info');
    expect([over.status, over.headers.get('ratelimit-policy')]).to.deep.equal([429, '"requests";q=5;w=60']);
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await roles.as('colleague', 'GET', '/rest/info')).status).to.equal(200);
    for (let n = 0; n < 8; n++) expect((await roles.as('admin', 'GET', '/rest/info')).status).to.equal(200);
  });
});
