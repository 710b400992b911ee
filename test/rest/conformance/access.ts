import { expect } from 'chai';
import { refused, problem } from './resources.ts';
import { sendRaw, type RawAnswer } from './support/raw.ts';
import { parseShape, type Suite } from './suite.ts';
import { ADMIN_ROWS, askable, partsOf, ROWS, type Row } from './support/table.ts';

/** Authentication and authorization (specification 5 and 7), for every row of chapter 4. */
export function accessRows(suite: Suite): void {
  describe('5 Authentication', () => {
    for (const row of ROWS) {
      suite.proves(row, 401, 'without a token and with a bad one', () => expectUnauthorized(suite, row));
      it(`${row} is for users${ADMIN_ROWS.has(row) ? ' with the role ADMIN only' : ''}`, () =>
        roles(suite, row));
    }

    it('takes the scheme Bearer in any case of letters (RFC 7235)', async () => {
      const { service } = suite;
      for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
        const headers = { authorization: `${scheme} ${service.token}` };
        const { status } = await sendRaw(service.url, { method: 'GET', path: '/rest/info', headers });
        expect([scheme, status]).to.deep.equal([scheme, 200]);
      }
    });

    it('takes nothing else for a token', async () => {
      const { token } = suite.service;
      for (const authorization of ['', 'Bearer', 'Bearer x', `Basic ${token}`, token])
        for (const method of ['GET', 'POST']) await expectRefusal(suite, method, '/rest/jobs', authorization);
    });

    it('takes the token from the header alone, not from the address', async () => {
      const path = `/rest/info?access_token=${suite.service.token}`;
      expect((await sendRaw(suite.service.url, { method: 'GET', path })).status).to.equal(401);
    });

    it('hides from whoever has no token what is there and what is not', async () => {
      for (const path of ['/rest', '/rest/', '/rest/no/such', '/REST/info', '/Rest/Jobs'])
        expect((await sendRaw(suite.service.url, { method: 'GET', path })).status, path).to.equal(401);
    });
  });
}

async function expectUnauthorized(suite: Suite, row: Row): Promise<void> {
  const { method } = partsOf(row);
  const path = askable(row, suite.ended);
  for (const authorization of [undefined, `Bearer ${suite.service.token}x`])
    await expectRefusal(suite, method, path, authorization);
}

async function expectRefusal(
  suite: Suite,
  method: string,
  path: string,
  authorization?: string,
): Promise<void> {
  const headers = authorization === undefined ? {} : { authorization };
  const body = method === 'GET' ? {} : { body: '{}' };
  const answer = await sendRaw(suite.service.url, { method, path, headers, ...body });
  expect([authorization, answer.status]).to.deep.equal([authorization, 401]);
  expect(answer.headers['www-authenticate']).to.equal('Bearer');
  expectBody(answer);
}

/** Component endpoints must answer with a sentence (specification 7). Other endpoints may have any body. */
function expectBody({ text, headers }: RawAnswer): void {
  expect(headers['content-type']).to.match(/^application\/json/);
  problem.parse(JSON.parse(text));
}

async function roles(suite: Suite, row: Row): Promise<void> {
  const { method } = partsOf(row);
  const path = askable(row, suite.ended);
  const body = method === 'POST' ? '{}' : undefined;
  const nobody = await suite.roles.as('nobody', method, path, body);
  parseShape(nobody, 403, problem);
  expect(nobody.headers.get('www-authenticate')).to.equal('Bearer error="insufficient_scope"');
  const user = await suite.roles.as('user', method, path, body);
  if (ADMIN_ROWS.has(row)) parseShape(user, 403, refused);
  else {
    const admin = await suite.roles.as('admin', method, path, body);
    expect(user.status).to.equal(admin.status).and.not.be.oneOf([401, 403]);
  }
}
