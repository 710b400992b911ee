import { expect } from 'chai';
import { sendRaw } from './support/raw.ts';
import { problem } from './resources.ts';
import type { Suite } from './suite.ts';
import { askable, BEYOND, partsOf, ROWS } from './support/table.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PATHS = [...new Set(ROWS.map((row) => partsOf(row).path))];

/** HTTP methods that every path of chapter 4 must support or refuse. */
export function methodRows(suite: Suite): void {
  const ask = (method: string, path: string) =>
    sendRaw(suite.service.url, {
      method,
      path,
      headers: { authorization: `Bearer ${suite.service.token}` },
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: '{}' }),
    });

  const describeAnswer = ({
    status,
    text,
  }: {
    readonly status: number | undefined;
    readonly text: string;
  }) => [status, problem.parse(JSON.parse(text)).message];

  describe('4 Methods', () => {
    for (const path of PATHS) {
      const rows = ROWS.filter((row) => partsOf(row).path === path);
      const served = [...rows.map((row) => partsOf(row).method), ...(BEYOND[path] ?? [])];
      const others = METHODS.filter((method) => !served.includes(method));
      it(`${path}: 405 to ${others.join(', ')}; Allow names ${served.join(', ')}`, async () => {
        const concrete = askable(rows[0]!, suite.ended);
        for (const method of others) {
          const { status, headers, text } = await ask(method, concrete);
          expect([method, status]).to.deep.equal([method, 405]);
          const allowed = (headers.allow ?? '').split(', ').filter((one) => one !== 'HEAD');
          expect(allowed).to.include.members(served).and.not.include(method);
          problem.parse(JSON.parse(text));
        }
      });
    }

    for (const row of ROWS.filter((one) => one.startsWith('GET ')))
      it(`HEAD ${partsOf(row).path} answers like GET without the body`, async () => {
        const path = askable(row, suite.ended);
        const got = await ask('GET', path);
        const head = await ask('HEAD', path);
        expect([head.status, head.text]).to.deep.equal([got.status, '']);
        expect(head.headers['content-type']).to.equal(got.headers['content-type']);
      });

    it('paths that are not there are answered 404 with a sentence', async () => {
      for (const path of [
        '/rest',
        '/rest/',
        '/rest/none',
        '/rest/v9/info',
        '/rest/info/x',
        '/REST/info',
        '/rest/Info',
      ])
        expect(describeAnswer(await ask('GET', path))).to.deep.equal([
          404,
          'The server has nothing at this path.',
        ]);
    });

    it('a trailing slash, a query that nobody knows and the absolute form make no difference', async () => {
      for (const path of [
        '/rest/info/',
        '/rest/info?',
        '/rest/info?a=1&a=2',
        `${suite.service.url}/rest/info`,
      ])
        expect(await ask('GET', path), path).to.include({ status: 200 });
    });
  });
}
