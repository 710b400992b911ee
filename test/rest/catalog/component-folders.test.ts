/** Components outside of the package: COMPONENT_FOLDERS, and the template for new components. */
import { expect } from 'chai';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from '@swc/wasm-typescript';
import { packageRoot } from '../../../config/info.ts';
import { sampleUri, Service, tracksOf, withoutRedis } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const TEMPLATE = path.join(packageRoot, 'templates', 'component');

interface Descriptor {
  componentName: string;
  algorithm: { name: string };
}

/** A component that does not use the SDK: it speaks plain HTTP and answers each sub-job with one track. */
const WORKER = `
const { TROUPE_SERVER_URL: server, TROUPE_WORKER_TOKEN: token, SAID } = process.env;
const post = (path, body) => fetch(server + '/worker/v1' + path, { method: 'POST', body,
  headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' } });
process.stdin.on('end', () => process.exit(0)).resume();
for (;;) {
  const { work = [] } = await (await post('/claim', JSON.stringify({ algorithms: ['PLAIN'], waitMs: 5000 }))).json();
  for (const { token: lease } of work) {
    const box = { frame: 0, x: 0, y: 0, width: 1, height: 1, confidence: 1, properties: {} };
    const track = { startFrame: 0, stopFrame: 0, confidence: 1, properties: { SAID }, detections: [box] };
    await post('/leases/' + lease + '/result', JSON.stringify(track) + '\\n');
  }
}`;

describe('Components outside of the package', function () {
  this.timeout(240_000);
  let service: Service;
  let folder: string;

  const write = (name: string, file: string, content: unknown) => {
    const place = path.join(folder, name, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const descriptor = (): Descriptor =>
    JSON.parse(readFileSync(path.join(TEMPLATE, 'descriptor.json'), 'utf8')) as Descriptor;
  const makeDescriptor = (componentName: string, algorithm: string, more: object = {}) => {
    const base = descriptor();
    return { ...base, componentName, algorithm: { ...base.algorithm, name: algorithm }, ...more };
  };
  const messages = async () =>
    ((await service.ask('GET', '/rest/system-message/type/admin')).body as { msg: string }[]).map(
      ({ msg }) => msg,
    );
  const services = async () =>
    Object.keys((await service.ask('GET', '/rest/nodes/services')).body as Record<string, unknown>);

  beforeEach(() => {
    service = new Service();
    folder = path.join(service.folder, 'components');
    mkdirSync(folder);
  });
  afterEach(() => service.close());

  it('begin with the template, or may be any command, started in its folder on demand', async () => {
    // The build with the commands of users, and its tests, are in component-folders.long.ts.
    const source = readFileSync(path.join(TEMPLATE, 'detector.ts'), 'utf8');
    write('darkness', 'dist/detector.js', transformSync(source, { mode: 'strip-only', module: true }).code);
    write('darkness', 'descriptor.json', descriptor());
    write('darkness', 'package.json', { type: 'module' });
    write('plain', 'worker.mjs', WORKER);
    write('plain', 'service.json', { cmd: '${TROUPE_NODE}', args: ['worker.mjs'] });
    const environmentVariables = [{ name: 'SAID', value: 'in plain HTTP' }];
    write('plain', 'descriptor.json', makeDescriptor('Plain', 'PLAIN', { environmentVariables }));
    const folders = ['darkness', 'plain'].map((name) => path.join(folder, name));
    await service.startHere({ COMPONENT_FOLDERS: folders.join(':') });
    expect(await messages()).to.deep.equal([]);
    const dark = await service.run({
      media: [sampleUri('rocket.jpg')],
      pipelineName: 'DARKNESS DETECTION PIPELINE',
      jobProperties: { MAX_BRIGHTNESS: '255' },
    });
    expect(dark.status).to.equal('COMPLETE');
    const [track] = tracksOf(dark.media[0], 'DARKNESS');
    expect(Number(track?.exemplar.detectionProperties['BRIGHTNESS'])).to.be.within(1, 254);

    const document = await service.run({
      media: [sampleUri('rocket.jpg')],
      pipelineName: 'PLAIN DETECTION PIPELINE',
    });
    const said = tracksOf(document.media[0], 'DARKNESS').map(({ trackProperties }) => trackProperties);
    expect(said).to.deep.equal([{ SAID: 'in plain HTTP' }]);
  });

  it('that are not valid or want names of others are left out and told, and harm nobody', async () => {
    write('a-good', 'detector.js', 'export default async () => ({});');
    write('a-good', 'descriptor.json', makeDescriptor('Good', 'GOOD', { batchLibrary: 'detector' }));
    write('b-broken', 'descriptor.json', '{ "componentName": "Broken"');
    write('c-empty', 'descriptor.json', { componentName: 'Empty' });
    write('d-not-built', 'descriptor.json', makeDescriptor('NotBuilt', 'NOT BUILT'));
    for (const [name, component, algorithm] of [
      ['e-faces', 'TroupeFaceDetection', 'MY FACES'],
      ['f-algorithm', 'MyFaces', 'FACE'],
      ['g-again', 'Again', 'GOOD'],
      ['h-media', 'TroupeMedia', 'MY MEDIA'],
    ] as const) {
      write(name, 'detector.js', 'export default async () => ({});');
      write(name, 'descriptor.json', makeDescriptor(component, algorithm, { batchLibrary: 'detector' }));
    }
    await service.startHere({ COMPONENT_FOLDERS: `${folder}:${path.join(folder, 'missing')}` });
    const told = await until('all is told', messages, (list) => list.length === 8);
    const of = (name: string) => told.filter((msg) => msg.includes(path.join(folder, name))).join();
    expect(of('b-broken')).to.include('is no JSON');
    expect(of('c-empty')).to.include('algorithm');
    expect(of('d-not-built')).to.include('dist/detector.js, which batchLibrary names. Compile it');
    expect(of('e-faces')).to.include('another component named "TroupeFaceDetection"');
    expect(of('f-algorithm')).to.include('"FACE" algorithm because it belongs to the component');
    expect(of('g-again')).to.include('belongs to the component "Good"');
    expect(of('h-media')).to.include('another component named "TroupeMedia"');
    expect(of('missing')).to.include('cannot be read');
    expect(service.log().filter(({ level }) => level === 'error')).to.have.length(8);
    expect((await services()).filter((name) => /Good|NotBuilt|MyFaces|Again/.test(name))).to.deep.equal([
      'Good',
    ]);
  });

  it('are told no longer once they are mended', async () => {
    write('light', 'descriptor.json', makeDescriptor('Mine', 'MINE', { batchLibrary: 'detector' }));
    await service.startHere({ COMPONENT_FOLDERS: folder });
    await until('it is told', messages, (list) => list.length === 1);
    await service.stop();
    write('light', 'detector.js', 'export default async () => ({});');
    await service.startHere();
    expect(await messages()).to.deep.equal([]);
    expect(await services()).to.include('Mine');
  });

  it('are gone when their folder is no longer named', async function () {
    // With a shared Redis, other servers may have registered these components.
    withoutRedis.call(this);
    write('light', 'descriptor.json', makeDescriptor('Mine', 'MINE', { batchLibrary: 'detector' }));
    write('light', 'detector.js', 'export default async () => ({});');
    await service.startHere({ COMPONENT_FOLDERS: folder });
    expect(await services()).to.include('Mine');
    await service.stop();
    await service.startHere({ COMPONENT_FOLDERS: '' });
    expect(await services()).not.to.include('Mine');
    expect((await service.ask('GET', '/rest/algorithms/MINE')).status).to.equal(404);
  });
});
