import { expect } from 'chai';
import { ok, systemMessages } from './resources.ts';
import type { Suite } from './suite.ts';

const PATH = '/rest/system-message';

export function systemMessageRows(suite: Suite): void {
  describe('4.5 System messages', () => {
    const list = (path = '') => suite.gets(['GET', `${PATH}${path}`], 200, systemMessages);
    const post = (text: string, query = '') =>
      suite.gets(['POST', `${PATH}${query}`, JSON.stringify(text)], 201, ok);

    suite.proves(
      'POST /rest/system-message',
      201,
      'CoreResponse; all, manual and info by default',
      async () => {
        await post('by default');
        const { msg, msgType, removeStrategy, severity } = (await list()).at(-1)!;
        expect([msg, msgType, removeStrategy, severity]).to.deep.equal([
          'by default',
          'all',
          'manual',
          'info',
        ]);
      },
    );

    suite.proves('POST /rest/system-message', 201, 'CoreResponse for every value of its query', async () => {
      for (const msgType of ['all', 'admin', 'login'])
        for (const removeStrategy of ['atServerStartup', 'manual'])
          for (const severity of ['info', 'warning', 'error']) {
            const query = { msgType, removeStrategy, severity };
            await post('of every kind', `?${new URLSearchParams(query).toString()}`);
            expect((await list()).at(-1)).to.deep.include(query);
          }
    });

    suite.proves('GET /rest/system-message', 200, 'array of SystemMessage', async () => {
      await post('listed');
      expect(await list()).to.have.lengthOf.at.least(1);
    });

    suite.proves(
      'GET /rest/system-message/type/{typeFilter}',
      200,
      'array of SystemMessage of that type; all is every one',
      async () => {
        for (const type of ['all', 'admin', 'login']) await post('of a type', `?msgType=${type}`);
        const all = await list();
        expect(await list('/type/all')).to.deep.equal(all);
        for (const type of ['admin', 'login'])
          expect(await list(`/type/${type}`)).to.deep.equal(all.filter(({ msgType }) => msgType === type));
      },
    );

    suite.proves(
      'DELETE /rest/system-message/{id}',
      200,
      'CoreResponse, and the message is gone',
      async () => {
        await post('to be deleted');
        for (const { id } of await list()) await suite.gets(['DELETE', `${PATH}/${id}`], 200, ok);
        expect(await list()).to.deep.equal([]);
      },
    );

    suite.proves(
      'DELETE /rest/system-message/{id}',
      200,
      'CoreResponse, also when no message has that id, up to the greatest of 64 bits',
      async () => {
        for (const id of ['1', '987654', '9007199254740993', '9223372036854775807'])
          await suite.gets(['DELETE', `${PATH}/${id}`], 200, ok);
      },
    );
  });
}
