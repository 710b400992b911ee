/**
 * A slow or dead host delays only jobs that need it: downloads and uploads have their own slots, and free
 * them while they wait.
 */
import { expect } from 'chai';
import { answerError, ACCESS_KEY, BucketServer, SECRET_KEY } from '../support/servers/bucket-server.ts';
import { MediaServer } from '../support/servers/media-server.ts';
import { answer, hang, Receiver } from '../support/servers/receiver.ts';
import { ServiceWithRoles } from '../support/roles.ts';
import { errorCodes, sampleUri, Service, type LogLine } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const PIPELINE = { pipelineName: 'STAGED PIPELINE' };
/** No process listens at this address. */
const DEAD = 'http://127.0.0.1:9';
const DEAD_JOBS = 17;
const GOOD_JOBS = 20;
/** Back-off that is longer than any test. */
const LONG_MS = '600000';
/** Concurrent transfers of a user to one host. */
const SLOTS = 8;

describe('A slow host', () => {
  let given: ServiceWithRoles;
  let service: Service;
  let media: MediaServer;
  before(async () => {
    [given, media] = await Promise.all([
      ServiceWithRoles.start({ FETCH_PRIVATE: 'true', TRANSFER_PAUSE_MS: LONG_MS }),
      MediaServer.start(),
    ]);
    service = given.service;
  });
  after(async () => {
    await given.close();
    await media.close();
  });

  const submitAs = async (client: 'admin' | 'user', mediaUri: string, more: object = {}) => {
    const { body, status, text } = await given.as(client, 'POST', '/rest/jobs', {
      media: [{ mediaUri }],
      ...PIPELINE,
      ...more,
    });
    if (status !== 201) throw new Error(`The job was not accepted: ${status} ${text}`);
    return (body as { readonly jobId: string }).jobId;
  };
  const statuses = async (ids: readonly string[]) => {
    const found = new Set<string>();
    for (const id of ids) found.add((await service.terminal(id)).jobStatus);
    return found;
  };
  const cancelAll = async (ids: readonly string[]) => {
    for (const id of ids) await service.cancel(id);
    expect([...(await statuses(ids))]).to.deep.equal(['CANCELLED']);
  };

  it('that sends a byte every 10 seconds delays no job that needs nothing of it', async () => {
    const slow = await Promise.all([1, 2].map((n) => submitAs('admin', media.slow(n))));
    await until('both are being sent', () => media.sending === slow.length);
    const others = await Promise.all([
      submitAs('user', media.picture(1)),
      submitAs('user', sampleUri('hello-world.png')),
      submitAs('admin', media.picture(2)),
    ]);
    expect([...(await statuses(others))]).to.deep.equal(['COMPLETE']);
    const { waitingFor } = (await service.detailedJob(slow[0]!))!;
    expect(waitingFor).to.deep.include({
      reason: `Waiting for the download from ${media.host}: 0.0 of 9.0 MB.`,
      queue: 'TROUPE.MEDIA_DOWNLOAD',
    });
    await cancelAll(slow);
    await until('their connections are closed', () => media.sending === 0);
  });

  it('gets no more than its share of the downloads of a user, whose other downloads continue', async () => {
    const before = media.asked;
    const id = (
      await given.as('admin', 'POST', '/rest/jobs', {
        media: Array.from({ length: 3 * SLOTS }, (_, n) => ({ mediaUri: media.slow(n) })),
        ...PIPELINE,
      })
    ).body as { readonly jobId: string };
    await until('all slots are in use', () => media.asked - before >= SLOTS);
    const elsewhere = await MediaServer.start();
    try {
      const others = [
        await submitAs('admin', elsewhere.picture(1)),
        await submitAs('user', media.picture(3)),
      ];
      expect([...(await statuses(others))]).to.deep.equal(['COMPLETE']);
    } finally {
      await elsewhere.close();
    }
    expect(media.asked - before).to.equal(SLOTS);
    await cancelAll([id.jobId]);
  });

  it('that refuses connections delays only its jobs, which hold no slot between attempts', async () => {
    const dead = await Promise.all(
      Array.from({ length: DEAD_JOBS }, (_, n) => submitAs('admin', `${DEAD}/${n}.png`)),
    );
    const isTried = (id: string) => service.handedOut().some(({ subJob }) => subJob === `${id}.1.prepare.0`);
    await until('each was tried once', () => dead.every(isTried));
    const good = await Promise.all(
      Array.from({ length: GOOD_JOBS }, (_, n) => submitAs('admin', media.picture(n))),
    );
    expect([...(await statuses(good))]).to.deep.equal(['COMPLETE']);
    for (const id of dead) expect((await service.job(id))?.jobStatus).to.equal('IN_PROGRESS');
    const leases = async () => {
      const { text } = await service.askUndeclared('GET', '/metrics');
      return Number(/^troupe_leases (\d+)$/m.exec(text)?.[1]);
    };
    await until('nothing is in the hands of a component', leases, (held) => held === 0);
    await cancelAll(dead);
  });
});

describe('A slow receiver of results', () => {
  let given: ServiceWithRoles;
  let service: Service;
  let bucket: BucketServer;
  before(async () => {
    [given, bucket] = await Promise.all([
      ServiceWithRoles.start({ CALLBACK_PRIVATE: 'true', FETCH_PRIVATE: 'true', TRANSFER_PAUSE_MS: '200' }),
      BucketServer.start('results'),
    ]);
    service = given.service;
  });
  after(async () => {
    bucket.close().catch(() => undefined);
    await given.close();
  });
  const intoBucket = () => ({
    S3_ACCESS_KEY: ACCESS_KEY,
    S3_SECRET_KEY: SECRET_KEY,
    S3_RESULTS_BUCKET: `${bucket.url}/results`,
  });

  it('delays no job whose results go elsewhere, neither by pictures nor by documents', async () => {
    let held = 0;
    bucket.gatekeeper = ({ method }) => method === 'PUT' && (held += 1) > 0;
    const request = { media: [{ mediaUri: sampleUri('hello-world.png'), properties: { STAGE: '[{}]' } }] };
    const pictures = await Promise.all(
      [1, 2].map(() => service.submit({ ...request, ...PIPELINE, jobProperties: intoBucket() })),
    );
    const documents = await Promise.all(
      [1, 2].map(() =>
        service.submit({
          ...PIPELINE,
          media: [sampleUri('hello-world.png')],
          jobProperties: { ...intoBucket(), ARTIFACT_EXTRACTION_POLICY: 'NONE' },
        }),
      ),
    );
    await until('the bucket holds all of them up', () => held >= 4);
    const others = await Promise.all([1, 2, 3].map(() => service.submit({ ...request, ...PIPELINE })));
    for (const id of others) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const reason = `Waiting for the upload to ${new URL(bucket.url).host}`;
    for (const id of [...pictures, ...documents])
      expect((await service.detailedJob(id))?.waitingFor?.reason).to.match(new RegExp(`^${reason}`));
    for (const id of pictures) await service.cancel(id);
    for (const id of pictures) expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
    bucket.gatekeeper = () => false;
    for (const id of documents) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('that is busy is tried again, and its job ends without a warning', async () => {
    let refused = 0;
    bucket.gatekeeper = ({ method }, response) => {
      if (method !== 'PUT' || refused >= 2) return false;
      refused += 1;
      answerError(response, 503, 'SlowDown');
      return true;
    };
    const id = await service.submit({
      ...PIPELINE,
      media: [sampleUri('hello-world.png')],
      jobProperties: { ...intoBucket(), ARTIFACT_EXTRACTION_POLICY: 'NONE' },
    });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(refused).to.equal(2);
    const uploads = service.handedOut().filter(({ subJob }) => subJob === `${id}.1.upload`);
    expect(uploads.length, 'each attempt is handed out anew').to.equal(3);
  });
});

describe('A dead host', () => {
  it('is asked four times, and its medium fails with a reason', async () => {
    const service = await Service.here({ FETCH_PRIVATE: 'true', TRANSFER_PAUSE_MS: '20' });
    try {
      const id = await service.submit({ media: [`${DEAD}/1.png`], ...PIPELINE });
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      const { media, ...document } = await service.document(id);
      expect(errorCodes({ media, ...document }, media[0]!.mediaId)).to.deep.equal([
        'REMOTE_STORAGE_DOWNLOAD',
      ]);
      expect(
        service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.prepare`)),
      ).to.have.lengthOf(4);
    } finally {
      await service.close();
    }
  });
});

describe('A slow archive', () => {
  it('delays neither the end of its job nor the callbacks of others', async () => {
    const [archive, receiver] = await Promise.all([Receiver.start(hang), Receiver.start(answer(200))]);
    const given = await ServiceWithRoles.here({ CALLBACK_PRIVATE: 'true', DELIVERY_TIMEOUT_MS: '60000' });
    const { service } = given;
    const request = { media: [sampleUri('hello-world.png')], ...PIPELINE };
    const intoArchive = { ARCHIVE_URL: `${archive.url}/archive`, SKIP_ARCHIVE_CHECK: 'TRUE' };
    try {
      const slow = await Promise.all(
        Array.from({ length: 10 }, () => service.submit({ ...request, jobProperties: intoArchive })),
      );
      for (const id of slow) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      await until('posts are on their way', () => archive.requests.length >= SLOTS);
      const id = await service.submit({ ...request, callbackURL: `${receiver.url}/done` });
      await service.terminal(id);
      await until('the callback has come', () => receiver.requests.length === 1);
      expect((await service.job(slow[0]!))?.archiveStatus).to.equal('IN PROGRESS');
    } finally {
      await Promise.all([archive.close(), given.close()]);
      await receiver.close();
    }
  });
});

describe('A download', () => {
  let media: MediaServer;
  let service: Service;
  beforeEach(async () => {
    media = await MediaServer.start(100);
    service = await Service.start({ FETCH_PRIVATE: 'true' });
  });
  afterEach(async () => {
    await service.close();
    await media.close();
  });
  const timesHandedOut = (id: string) =>
    service.handedOut().filter(({ subJob }) => subJob === `${id}.1.prepare.0`).length;

  it('is made again after the server was killed', async () => {
    const id = await service.submit({ media: [media.slow(1)], ...PIPELINE });
    await until('it is being sent', () => media.sending === 1);
    await service.kill9();
    await until('its process has ended as well', () => media.sending === 0);
    media.hurry();
    await service.start();
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(timesHandedOut(id), 'fetched twice, inspected once').to.equal(3);
  });

  it('is made again with all others when their process dies, and no attempt counts', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map((n) => service.submit({ media: [media.slow(n)], ...PIPELINE })),
    );
    await until('all are being sent', () => media.sending === ids.length);
    const isTransfers = ({ worker }: LogLine) => String(worker).includes('TroupeTransfers');
    process.kill(service.log('component process started').findLast(isTransfers)!.pid, 'SIGKILL');
    await until('they have begun anew', () => media.asked === 2 * ids.length);
    media.hurry();
    for (const id of ids) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const attempts = service.handedOut().map(({ attempt }) => attempt);
    expect(Math.max(...attempts)).to.equal(1);
  });
});
