/**
 * A component on a host without access to the server's files. It runs as another user, who may read neither
 * the media nor DATA_DIR, uses only the SDK, and logs in with client credentials.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';
import { makeVideo } from '../media/support/make-video.ts';
import { freePort } from '../support/servers/reverse-proxy.ts';
import { canBeNobody, NOBODY } from '../support/processes/other-user.ts';
import { Service, tracksOf } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** A user without any files. */
const SDK = join(packageRoot, 'dist', 'components', 'sdk', 'detector.js');
const PIPELINE = 'REMOTE DETECTION PIPELINE';

describe('A component on a host that sees none of the files of the server', () => {
  let service: Service;
  let child: ChildProcess;
  /** The only folder that the component may read. */
  const shared = mkdtempSync(join(tmpdir(), 'troupe-elsewhere-'));
  const cache = join(shared, 'cache');
  let said = '';

  before(async function () {
    if (!canBeNobody()) return this.skip();
    service = await Service.here({ PORT: String(await freePort()), LEASE_MS: '5000' });
    await chmod(shared, 0o777);
    await writeFile(join(shared, 'descriptor.json'), JSON.stringify(descriptor()));
    child = elsewhere();
    const isUp = () => service.ask('GET', '/rest/components');
    await until('the component is registered', isUp, ({ text }) => text.includes('RemoteTrouble'));
  });
  after(async () => {
    if (child?.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    await service?.close();
    await rm(shared, { recursive: true, force: true });
  });

  const descriptor = () => {
    const path = join(packageRoot, 'test', 'support', 'components', 'trouble', 'descriptor.json');
    const {
      actions: _,
      tasks: _t,
      pipelines: _p,
      ...own
    } = JSON.parse(readFileSync(path, 'utf8')) as {
      [field: string]: object;
    };
    return {
      ...own,
      componentName: 'RemoteTrouble',
      batchLibrary: join(packageRoot, 'dist', 'test', 'support', 'components', 'trouble', 'detector.js'),
      algorithm: { ...own['algorithm'], name: 'REMOTE' },
    };
  };

  function elsewhere(): ChildProcess {
    const access = {
      issuer: `${service.url}/oidc`,
      clientId: 'troupe-cli',
      clientSecret: readFileSync(join(service.dataDir, 'secrets', 'troupe-cli.secret'), 'utf8').trim(),
    };
    const options = { folder: shared, serverUrl: service.url, access, mediaCache: { folder: cache } };
    const script = `import { runComponent } from ${JSON.stringify(pathToFileURL(SDK).href)};
      await runComponent({ ...${JSON.stringify(options)}, processes: 2, log: console.error });`;
    const started = spawn(process.execPath, ['--input-type=module', '-e', script], {
      ...{ ...NOBODY, cwd: shared, env: { PATH: process.env['PATH'] } },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text) => (said += String(text)));
    return started;
  }
  const video = (name: string, frames: number) => {
    const path = join(service.mediaDir, name);
    makeVideo(path, { frames, gop: 10 });
    return pathToFileURL(path).href;
  };
  const attempts = (id: string) =>
    service
      .handedOut()
      .filter(({ subJob }) => subJob.startsWith(`${id}.1.0.0.0.`) && /\d$/.test(subJob))
      .map(({ attempt }) => attempt);

  it('fetches a medium once for all segments and all of its processes', async () => {
    const id = await service.submit({
      media: [video('segments.mp4', 250)],
      pipelineName: PIPELINE,
      jobProperties: { TARGET_SEGMENT_LENGTH: '50', MIN_SEGMENT_LENGTH: '10' },
    });
    expect((await service.terminal(id)).jobStatus, said).to.equal('COMPLETE');
    const { media } = await service.document(id);
    expect(attempts(id)).to.deep.equal([1, 1, 1, 1, 1]);
    expect(tracksOf(media[0], 'TROUBLE').length).to.be.above(0);
    const { sha256 } = media[0]!;
    expect(readdirSync(cache).filter((name) => name.startsWith(sha256))).to.deep.equal([sha256]);
  });

  it('sends the files that it makes of a document: they become media of the job', async () => {
    const path = join(service.mediaDir, 'document.txt');
    await writeFile(path, 'a document');
    const document = await service.run({ media: [pathToFileURL(path).href], pipelineName: PIPELINE });
    expect(
      document.media.map(({ status }) => status),
      said,
    ).to.deep.equal(['COMPLETE', 'COMPLETE']);
    expect(readFileSync(fileURLToPath(document.media[1]!.path), 'utf8')).to.equal('made by trouble');
    expect(
      readdirSync('/tmp').filter((name) => name.startsWith('troupe-made-')),
      'what it has left',
    ).to.deep.equal([]);
  });

  it('continues its sub-job over a restart of the server, and no attempt is counted', async () => {
    const flag = join(shared, 'go-on');
    const id = await service.submit({
      media: [video('restart.mp4', 240)],
      pipelineName: PIPELINE,
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: flag, TARGET_SEGMENT_LENGTH: '0' },
    });
    await until(
      'the component works on it',
      () => attempts(id),
      ({ length }) => length === 1,
    );
    await service.stop();
    await writeFile(flag, '');
    await service.startHere();
    expect((await service.terminal(id)).jobStatus, said).to.equal('COMPLETE');
    expect(attempts(id)).to.deep.equal([1]);
  });
});
