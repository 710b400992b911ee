/**
 * A component of the reference system that the server starts. `reference.test.ts` tests its input and
 * answers.
 */
import { expect } from 'chai';
import { cpSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pictureUri } from '../support/media/data-uri.ts';
import { Service, tracksOf } from '../support/processes/service.ts';
import { needsPython, referenceFolder, REFERENCE_PIPELINE } from './support.ts';

describe('A component of the reference system in Python', function () {
  this.timeout(120_000);

  it('is started by the server, too, from a folder with its descriptor and a service.json', async function () {
    needsPython(this);
    const service = new Service();
    try {
      const folder = path.join(service.folder, 'components', 'brightness');
      cpSync(referenceFolder, folder, { recursive: true });
      renameSync(path.join(folder, 'descriptor', 'descriptor.json'), path.join(folder, 'descriptor.json'));
      writeFileSync(
        path.join(folder, 'service.json'),
        JSON.stringify({
          cmd: 'python3',
          args: ['${TROUPE_HOME}/sdk/python-reference/troupe_reference', 'brightness_component.py'],
        }),
      );
      await service.startHere({ COMPONENT_FOLDERS: path.dirname(folder) });
      const document = await service.run({ media: [pictureUri(64, 64)], pipelineName: REFERENCE_PIPELINE });
      expect(tracksOf(document.media[0], 'BRIGHTNESS')).to.have.length(2);
    } finally {
      await service.close();
    }
  });
});
