/** A live stream from a camera whose component and server are killed: each test goes on with the stream of the one before. */
import { expect } from 'chai';
import { Service } from '../support/service.ts';
import { serviceWithCameras } from './cameras-support.ts';

describe('A streaming job on a camera that lasts', function () {
  this.timeout(240_000);
  const { service, info, reportsOf, lasting, moreSegments } = serviceWithCameras((env) =>
    Service.started(env),
  );
  let id: number;
  before(async () => {
    id = await lasting();
  });

  const noneTwice = async () => {
    const ids = (await reportsOf(id)).map(({ segmentId }) => segmentId);
    expect(ids).to.deep.equal([...new Set(ids)]);
  };

  it('goes on after kill -9 of its component, with the next segment, and tells of the gap', async () => {
    const { segments } = await info(id);
    const { pid } = service()
      .log('component process started')
      .findLast(({ worker }) => String(worker).includes('Streams'))!;
    process.kill(pid, 'SIGKILL');
    await moreSegments(id, segments + 3);
    await noneTwice();
    const reports = await reportsOf(id);
    expect(reports.some(({ errorMessage }) => errorMessage.includes('may have been missed'))).to.equal(true);
  });

  it('goes on after kill -9 of the server, and no segment number comes twice', async () => {
    await service().kill9();
    await service().start();
    const { segments: before } = await info(id);
    await moreSegments(id, before + 2);
    const after = (await reportsOf(id)).slice(before);
    expect(after[0]!.errorMessage).to.include('may have been missed');
    await noneTwice();
  });
});
