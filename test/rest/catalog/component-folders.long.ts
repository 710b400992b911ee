/** The template of a component: copied, built and tested with the commands that its users run. */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../config/info.ts';
import { installPacked } from '../../config/packages.ts';
import { sampleUri, Service, tracksOf } from '../../support/processes/service.ts';

const run = promisify(execFile);
const TEMPLATE = path.join(packageRoot, 'templates', 'component');

describe('The template of a component', function () {
  this.timeout(240_000);
  let service: Service;
  before(() => {
    service = new Service();
  });
  after(() => service.close());

  it('is copied, built, tested, and runs in a job', async () => {
    const copy = path.join(service.folder, 'darkness');
    cpSync(TEMPLATE, copy, { recursive: true });
    installPacked('sdk/typescript', copy);
    const node = (...args: string[]) => run(process.execPath, args, { cwd: copy });
    await node('node_modules/typescript/bin/tsc', '-p', '.');
    await node('--test', 'dist/detector.test.js');
    // The built component must run without its build dependencies.
    rmSync(path.join(copy, 'node_modules'), { recursive: true });

    await service.startHere({ COMPONENT_FOLDERS: copy });
    const { body: messages } = await service.ask('GET', '/rest/system-message/type/admin');
    expect(messages).to.deep.equal([]);
    const document = await service.run({
      media: [sampleUri('rocket.jpg')],
      pipelineName: 'DARKNESS DETECTION PIPELINE',
      jobProperties: { MAX_BRIGHTNESS: '255' },
    });
    expect(document.status).to.equal('COMPLETE');
    const [track] = tracksOf(document.media[0], 'DARKNESS');
    expect(Number(track?.exemplar.detectionProperties['BRIGHTNESS'])).to.be.within(1, 254);
  });
});
