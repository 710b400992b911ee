import { expect } from 'chai';
import { z } from 'zod';
import { until } from '../../support/until.ts';
import { jobId } from './resources.ts';
import { LIGHT, type Suite } from './suite.ts';

/** Specification 6.1: one callback of each kind. */
export function callbackRows(suite: Suite): void {
  const waitForCallback = (path: string) =>
    until(`the callback ${path} has come`, () =>
      suite.receiver.requests.find((request) => request.path.startsWith(path)),
    );

  describe('6.1 Batch job completion callback', () => {
    it('by GET, the default, the parameters are appended to the query of callbackURL with &', async () => {
      const { method, path } = (await waitForCallback('/done'))!;
      expect([method, path.slice(0, 10)]).to.deep.equal(['GET', '/done?a=b&']);
      const query = new URL(path, suite.receiver.url).searchParams;
      expect([...query.keys()]).to.deep.equal(['a', 'jobid', 'externalid', 'outputobjecturi']);
      expect([query.get('jobid'), query.get('externalid')]).to.deep.equal([suite.ended, 'case 7']);
      expect(query.get('outputobjecturi')).to.match(/^file:\/\/\/.*\.json$/);
    });

    it('by POST the JSON body always has jobId, externalId and outputObjectUri, null when absent', async () => {
      const id = await suite.service.submit({
        ...LIGHT,
        buildOutput: false,
        callbackURL: `${suite.receiver.url}/posted`,
        callbackMethod: 'POST',
      });
      const { method, headers, body } = (await waitForCallback('/posted'))!;
      expect(method).to.equal('POST');
      expect(headers['content-type']).to.match(/^application\/json/);
      // `jobStatus` is an extension: callbacks contain it without a request for it.
      const shape = z.strictObject({ jobId, externalId: z.null(), outputObjectUri: z.null(), jobStatus: z.literal('COMPLETE') }); // oxfmt-ignore
      expect(shape.parse(JSON.parse(body)).jobId).to.equal(id);
      await until('the outcome is shown', async () => {
        const job = await suite.service.job(id);
        return job?.callbackStatus === 'COMPLETE';
      });
    });

    it('carries no token, but with CALLBACK_ADD_TOKEN one of the service, by client credentials', async () => {
      for (const value of ['TRUE', 'false'])
        await suite.service.submit({
          ...LIGHT,
          callbackURL: `${suite.receiver.url}/token/${value}`,
          jobProperties: { CALLBACK_ADD_TOKEN: value },
        });
      for (const path of ['/done', '/token/false'])
        expect((await waitForCallback(path))!.headers, path).to.not.have.property('authorization');
      const [scheme, token = ''] =
        (await waitForCallback('/token/TRUE'))!.headers.authorization?.split(' ') ?? [];
      expect(scheme).to.equal('Bearer');
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString('utf8'));
      expect(claims).to.include({ client_id: 'admin' });
    });
  });
}
