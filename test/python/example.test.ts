/**
 * The example of the Python SDK analyses real media with the standard library only, as a managed service and
 * alone.
 */
import { expect } from 'chai';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../support/processes/service.ts';
import { exampleFolder, needsPython, PythonComponent } from './support.ts';

const SILENCE = 'SILENCE DETECTION PIPELINE';
/** Silence, speech, pink noise, speech, silence. */
const SPEECH = sampleUri('vad_groundtruth.wav');

describe('The example of the Python SDK', function () {
  this.timeout(90_000);
  let service: Service;

  before(function () {
    needsPython(this);
  });
  afterEach(() => service?.close());

  const stretches = (document: DetectionDocument) =>
    tracksOf(document.media[0], 'SILENCE').map(({ startOffsetTime, stopOffsetTime }) => [
      startOffsetTime,
      stopOffsetTime,
    ]);
  const job = { media: [SPEECH], pipelineName: SILENCE };

  it('is started by the server from COMPONENT_FOLDERS, and finds the silence of a recording', async () => {
    service = await Service.here({ COMPONENT_FOLDERS: path.dirname(exampleFolder) });
    const document = await service.run(job);
    expect(document.status).to.equal('COMPLETE');
    const found = stretches(document);
    expect(found).to.have.length.of.at.least(2);
    expect(found[0]?.[0], 'the recording begins with silence').to.equal(0);
    const loud = await service.run({ ...job, jobProperties: { MAX_LEVEL: '12' } });
    const [error] = loud.media[0]?.detectionProcessingErrors['SILENCE DETECTION ACTION'] ?? [];
    expect(error).to.include({
      code: 'INVALID_PROPERTY',
      message: 'MAX_LEVEL is 12.0, but levels are 0 dB at the most. Choose -50, for example.',
    });
  });

  it('registers itself when it is started from another folder, and ends in order on SIGTERM', async () => {
    service = await Service.openShared();
    const folder = path.join(service.folder, 'elsewhere');
    mkdirSync(folder);
    cpSync(exampleFolder, folder, { recursive: true });
    const component = PythonComponent.of(service, path.join(folder, 'detector.py'));
    try {
      await component.says('serving SILENCE');
      expect(component.said).to.include('New component registered.');
      expect(stretches(await service.run(job))).to.have.length.of.at.least(2);
      expect(await component.stop()).to.equal(0);
    } finally {
      await component.close();
      await service.ask('DELETE', '/rest/components/SilenceDetection');
    }
  });

  it('says in a sentence why it cannot be started', async () => {
    service = await Service.openShared();
    const component = new PythonComponent(path.join(exampleFolder, 'detector.py'), {
      TROUPE_URL: service.url,
    });
    expect(await component.waitForExit()).to.equal(1);
    expect(component.said.trim()).to.equal(
      'The component has no token: set TROUPE_TOKEN, or TROUPE_ISSUER_URI, TROUPE_CLIENT_ID and TROUPE_CLIENT_SECRET.',
    );
  });
});
