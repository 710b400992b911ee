import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { RestClient } from '../../client/rest-client.ts';
import { givenToken, renewedToken } from '../../client/token-source.ts';
import { answer, withService, type Handler } from '../cli/support/scripted-service.ts';

const JOB = { media: [{ mediaUri: 'file:///a.png' }], pipelineName: 'FACE DETECTION PIPELINE' };
const SHORT = { connectMs: 300, busyMs: 5_000 };

const answerCreated = answer(201, { jobId: 'host-1', coreResponse: { responseCode: 0, message: null } });
const breakConnection: Handler = (request) => request.socket.destroy();
const messageOf = (promise: Promise<unknown>) => promise.then(() => 'no error', (error: Error) => error.message); // oxfmt-ignore

describe('The REST client of the tool', () => {
  it('asks again when the service is busy, after the time that Retry-After tells', async () => {
    const busy = answer(503, { message: 'busy' }, { 'retry-after': '0.05' });
    await withService([busy, busy, answerCreated], async (url, asked) => {
      expect(await new RestClient(url, givenToken('t')).createJob(JOB)).to.deep.equal({ jobId: 'host-1' });
      expect(asked).to.deep.equal(Array.from({ length: 3 }, () => 'POST /rest/jobs Bearer t'));
    });
  });

  it('says at once that the service is busy, for how long, and what it retries, once a reason', async () => {
    const busy = answer(503, { message: 'The disk is nearly full.' }, { 'retry-after': '0.05' });
    const notes: string[] = [];
    await withService([breakConnection, busy, busy, answer(503, undefined), answer(200, {})], async (url) => {
      const client = new RestClient(url, givenToken('t'), SHORT, (text) => notes.push(text));
      await client.job('host-1');
      expect(notes).to.deep.equal([
        `No service answers at ${url}. GET /rest/jobs/host-1 is retried for up to 1 s.`,
        'The service is busy or stopping (Retry-After: 1 s): The disk is nearly full. GET /rest/jobs/host-1 is retried for up to 5 s.',
        'The service is busy or stopping. GET /rest/jobs/host-1 is retried for up to 5 s.',
      ]);
    });
  });

  it('gets another token when one is refused, once', async () => {
    let count = 0;
    const tokens = () => renewedToken(() => Promise.resolve(`t${(count += 1)}`), 'Renew it.');
    const answerUnauthorized = answer(401, undefined);
    await withService(
      [answerUnauthorized, answerCreated, answerUnauthorized, answerUnauthorized],
      async (url, asked) => {
        await new RestClient(url, tokens()).createJob(JOB);
        expect(asked.map((line) => line.split(' ').at(-1))).to.deep.equal(['t1', 't2']);
        const second = messageOf(new RestClient(url, tokens()).createJob(JOB));
        expect(await second).to.equal(`The service at ${url} does not accept the token. Renew it.`);
      },
    );
  });

  it('renews a token a minute before it ends', async () => {
    let now = 0;
    const claims = () =>
      Buffer.from(JSON.stringify({ exp: now / 1_000 + 3_600, at: now })).toString('base64url');
    const tokens = renewedToken(() => Promise.resolve(`h.${claims()}.s`), '', () => now); // oxfmt-ignore
    const first = await tokens.current();
    now = 3_539_000;
    expect(await tokens.current()).to.equal(first);
    now = 3_541_000;
    expect(await tokens.current()).to.not.equal(first);
  });

  it('looks at a job again when the connection breaks, but never makes a job twice', async () => {
    const info = answer(200, { jobId: 'host-1', terminal: true });
    await withService([breakConnection, info, breakConnection], async (url, asked) => {
      const client = new RestClient(url, givenToken('t'), SHORT);
      expect(await client.job('host-1')).to.include({ terminal: true });
      expect(await messageOf(client.createJob(JOB))).to.include('It may have accepted the job.');
      expect(asked).to.have.length(3);
    });
  });

  it('says that no service answers, after some patience', async () => {
    const url = await new Promise<string>((resolve) => {
      void withService([], (free) => Promise.resolve(resolve(free)));
    });
    const client = new RestClient(url, givenToken('t'), SHORT);
    expect(await messageOf(client.createJob(JOB))).to.include(`No service answers at ${url}`);
  });

  it('tells the message of a refusal', async () => {
    const refusal = answer(400, {
      jobId: null,
      coreResponse: { responseCode: 1, message: 'No pipeline named: X' },
    });
    await withService([refusal], async (url) => {
      expect(await messageOf(new RestClient(url, givenToken('t')).createJob(JOB))).to.equal(
        'No pipeline named: X',
      );
    });
  });

  it('hands the document on as a stream, before all of it has come, and fails when it breaks off', async () => {
    let end: (() => void) | undefined;
    const slow: Handler = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"media":');
      end = () => request.socket.destroy();
    };
    await withService([slow, answer(400, undefined)], async (url) => {
      const client = new RestClient(url, givenToken('t'));
      const stream = await client.document('host-1');
      const [first] = (await once(stream!, 'data')) as [Buffer];
      expect(first.toString()).to.equal('{"media":');
      const rest = messageOf(text(stream!));
      end?.();
      expect(await rest).to.equal('aborted');
      expect(await client.document('host-2'), 'none was written').to.equal(undefined);
    });
  });
});
