import { expect } from 'chai';
import { descriptorBody } from '../../actors/catalog/descriptors.ts';
import { story } from '../../support/story.ts';
import { problem, responseMessage } from './resources.ts';
import type { Suite } from './suite.ts';

const REGISTER = 'POST /rest/components/registerUnmanaged';
const REMOVE = 'DELETE /rest/components/{componentName}';

/** Specification 3.5 and 4.6. */
export function componentRows(suite: Suite): void {
  story('4.6 Components', 'One component is registered, changed and removed.', () => {
    const register = (body: unknown, status: number) =>
      suite.gets(
        ['POST', '/rest/components/registerUnmanaged', body],
        status,
        status < 400 ? responseMessage : problem,
      );
    const body = descriptorBody('Conform One');

    suite.proves(REGISTER, 201, 'registered: there was no component of that name', () => register(body, 201));
    suite.proves(REGISTER, 200, 'no change: unmanaged, identical descriptor', async () => {
      expect((await register(body, 200)).message).to.equal('Component already registered.');
    });
    suite.proves(REGISTER, 200, 'updated: unmanaged, different descriptor', async () => {
      const { message } = await register({ ...body, componentVersion: '2.0' }, 200);
      expect(message).to.equal('Modified existing component.');
    });
    suite.proves(REGISTER, 409, 'conflict: there is a managed component of that name', () =>
      register(descriptorBody('TestLight'), 409),
    );
    suite.proves(REGISTER, 400, 'invalid descriptor, body is a ResponseMessage', async () => {
      for (const bad of ['{}', '[]', 'null', '"x"', '{"componentName":', '', '\u0000'])
        await register(bad, 400);
    });

    suite.proves(REMOVE, 204, 'removed, no content', async () => {
      await suite.getsNothing(['DELETE', '/rest/components/Conform%20One'], 204);
      const { body: pipelines } = await suite.ask('GET', '/rest/pipelines');
      expect(JSON.stringify(pipelines)).to.not.include('CONFORM');
    });
    suite.proves(REMOVE, 404, 'no such component', async () => {
      for (const name of ['Conform%20One', 'conform', '%25', '%', 'a%2Fb'])
        await suite.gets(['DELETE', `/rest/components/${name}`], 404, problem);
    });
  });
}
