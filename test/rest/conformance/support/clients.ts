import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { sendRaw, type RawRequest } from './raw.ts';
import { jobCreated, jobRefused, ok } from '../resources.ts';
import { TAKEN, type Suite } from '../suite.ts';

const JOB = JSON.stringify({ ...TAKEN, media: [{ mediaUri: TAKEN.media[0] }] });
const BOM = '\uFEFF';

/** The same job request as different client programs send it. The differences must not matter. */
const GOOD: Readonly<Record<string, Partial<RawRequest>>> = {
  'Content-Type: application/json;charset=UTF-8': {
    headers: { 'content-type': 'application/json;charset=UTF-8' },
  },
  'no Content-Type': {},
  'the Content-Type of a form (curl -d)': {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
  'Accept: */*': { headers: { accept: '*/*' } },
  'Accept: application/json': { headers: { accept: 'application/json' } },
  'an Accept that leaves out JSON': { headers: { accept: 'application/xml' } },
  'Accept-Encoding: gzip, which need not be used': { headers: { 'accept-encoding': 'gzip' } },
  'Expect: 100-continue': { headers: { expect: '100-continue' } },
  'a chunked body': { body: [JOB.slice(0, 1), JOB.slice(1, 20), JOB.slice(20)] },
  'a byte order mark before the JSON': { body: `${BOM}${JOB}` },
  'white space around the JSON': { body: `\r\n\t ${JOB}\n` },
  'a whole number written as 4.0': { body: `${JOB.slice(0, -1)},"priority":4.0}` },
  'a field twice, of which the last counts': { body: `${JOB.slice(0, -1)},"priority":77,"priority":7}` },
};

/** Bodies that are not one JSON object in plain UTF-8. */
const BAD: Readonly<Record<string, Partial<RawRequest>>> = {
  'an empty body': { body: '' },
  'only white space': { body: ' \n' },
  'only a byte order mark': { body: BOM },
  'two byte order marks': { body: `${BOM}${BOM}${JOB}` },
  'JSON that breaks off': { body: JOB.slice(0, -1) },
  'two JSON texts': { body: `${JOB}${JOB}` },
  'a trailing comma': { body: `${JOB.slice(0, -1)},}` },
  'UTF-16': { body: Buffer.from(JOB, 'utf16le') },
  'bytes that are no UTF-8': { body: Buffer.from(`{"externalId":"\u00e9"}`, 'latin1') },
  'a gzipped body': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(JOB) },
};

/** Differences between HTTP clients: content types, encodings, line breaks and headers. */
export function clientHabits(suite: Suite): void {
  const post = (path: string, body: RawRequest['body'], headers: RawRequest['headers'] = {}) =>
    sendRaw(suite.service.url, {
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${suite.service.token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  describe('1 All request and response bodies are JSON', () => {
    for (const [what, { headers, body = JOB }] of Object.entries(GOOD))
      it(`POST /rest/jobs takes ${what}`, async () => {
        const answer = await post('/rest/jobs', body, headers);
        expect([answer.status, answer.headers['content-type']]).to.deep.equal([
          201,
          'application/json; charset=utf-8',
        ]);
        expect(answer.headers['content-encoding']).to.equal(undefined);
        const { jobId } = jobCreated.parse(JSON.parse(answer.text));
        const priority = what.includes('twice') ? 7 : 4;
        expect((await suite.service.job(jobId))?.jobPriority).to.equal(priority);
      });

    for (const [what, { headers, body }] of Object.entries(BAD))
      it(`POST /rest/jobs answers 400 with a message to ${what}`, async () => {
        const { status, text } = await post('/rest/jobs', body, headers);
        expect(status, text).to.equal(400);
        jobRefused.parse(JSON.parse(text));
      });

    it('requests without a body take one that says nothing', async () => {
      for (const body of [undefined, '', '{}', 'null']) {
        const { status } = await post('/rest/jobs/987654/cancel', body);
        expect([body, status]).to.deep.equal([body, 400]);
      }
    });

    it('the text of a system message may have a byte order mark, escapes and any letters', async () => {
      const { status, text } = await post('/rest/system-message', `${BOM}"\\u263A \u2603 \\n"`);
      expect(status, text).to.equal(201);
      ok.parse(JSON.parse(text));
      const { body } = await suite.ask('GET', '/rest/system-message');
      const { id, msg } = (body as { id: number; msg: string }[]).at(-1)!;
      expect(msg).to.equal('\u263A \u2603 \n');
      await suite.ask('DELETE', `/rest/system-message/${id}`);
    });

    it('requests one after another on one connection are each answered, also after a refusal', async () => {
      for (const [method, path, status] of [
        ['POST', '/rest/jobs', 400],
        ['GET', '/rest/jobs/x', 400],
        ['DELETE', '/rest/components/none', 404],
        ['PUT', '/rest/info', 405],
        ['GET', '/rest/info', 200],
      ] as const)
        expect([path, (await suite.ask(method, path)).status]).to.deep.equal([path, status]);
    });
  });
}
