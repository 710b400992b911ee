/** A retry of a job runs only the failed parts and those that depend on them. Everything else is kept. */
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { OperationInfo } from '../../../actors/operations/views.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import {
  sampleUri,
  Service,
  type DetectionDocument,
  type JobRequest,
} from '../../support/processes/service.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';

const PICTURE = sampleUri('hello-world.png');
/** Fields that differ between two jobs with the same media. */
const OF_JOB = new Set([
  ...['jobId', 'objectId', 'timeStart', 'timeStop', 'timing', 'mediaId', 'mediaProperties', 'jobProperties'],
  ...['artifactPath', 'artifactHref', 'path', 'href', 'effectiveProperties', 'markupResult'],
]);

describe('A retry of a job', () => {
  let service: Service;
  let receiver: Receiver;
  let video: string;

  /** A medium that fails only in the first run, in a test component. */
  const failsOnce = (mediaUri: string, name: string) => ({
    mediaUri,
    properties: { TROUBLE: 'code', TROUBLE_RUNS: '1', TROUBLE_FILE: join(service.folder, name) },
  });
  const sound = (mediaUri: string) => ({ mediaUri, properties: { TROUBLE: 'none' } });
  const segmented = (media: JobRequest['media'], more: object = {}): JobRequest => ({
    media,
    pipelineName: 'TROUBLE PIPELINE',
    jobProperties: {
      TARGET_SEGMENT_LENGTH: '25',
      MIN_SEGMENT_LENGTH: '5',
      ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES',
    },
    ...more,
  });
  const retry = (id: string, body: unknown = { what: 'FAILED_SUB_JOBS' }) =>
    service.ask('POST', `/rest/jobs/${id}/retry`, body);
  const failed = async (request: JobRequest) => {
    const id = await service.submit(request);
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    return id;
  };
  const retried = async (id: string, body?: unknown) => {
    const { status, text } = await retry(id, body);
    expect(status, text).to.equal(200);
    return service.terminal(id);
  };
  /** Transfers are assigned once for each step, so duplicates are removed. */
  const handedOut = (id: string, run: number) => {
    const names = service
      .handedOut()
      .filter(({ subJob }) => subJob.startsWith(`${id}.${run}.`))
      .map(({ subJob }) => subJob.slice(`${id}.${run}.`.length));
    return [...new Set(names)].toSorted();
  };
  const spooled = async (id: string) =>
    (await service.files('spool')).filter((name) => name.startsWith(`${id}.`));
  const picturesOf = (id: string) =>
    readdirSync(join(service.dataDir, 'artifacts', `${id}.1`), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
  const artifactPaths = (document: DetectionDocument) => {
    const found = new Set<string>();
    JSON.stringify(document, (key, value: unknown) => {
      if (key === 'artifactPath' && typeof value === 'string') found.add(fileURLToPath(value));
      return value;
    });
    return [...found].toSorted();
  };
  const plain = (document: DetectionDocument): unknown =>
    JSON.parse(JSON.stringify(document, (key, value: unknown) => (OF_JOB.has(key) ? undefined : value)));

  before(async () => {
    service = await Service.here();
    receiver = await Receiver.start(answer(200));
    const file = join(service.mediaDir, 'video.avi');
    makeVideo(file, { frames: 60, encoder: 'mpeg4' });
    video = pathToFileURL(file).href;
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  it('runs one failed segment again, finishes its medium, and leaves all else as it is', async () => {
    const media = [sound(PICTURE), failsOnce(video, 'segment'), sound(video)];
    const id = await failed(
      segmented(media, { callbackURL: `${receiver.url}/done`, callbackMethod: 'POST' }),
    );
    const before = await service.document(id);
    expect(before.media.map(({ status }) => status)).to.deep.equal(['COMPLETE', 'INCOMPLETE', 'COMPLETE']);
    expect(await spooled(id), 'what a retry needs').to.deep.equal([`${id}.1`]);
    // A file of a track that the next run does not find any more.
    const earlier = join(
      service.dataDir,
      'artifacts',
      `${id}.1`,
      `${before.media[1]!.mediaId}`,
      '0',
      '0',
      '9',
    );
    mkdirSync(earlier, { recursive: true });
    copyFileSync(fileURLToPath(PICTURE), join(earlier, 'frame-1.png'));

    expect((await retried(id)).jobStatus).to.equal('COMPLETE');
    const again = handedOut(id, 2).map((name) => name.replace(/^0\.0\.1\.\d$/, 'segment'));
    expect(again.toSorted()).to.deep.equal([...['0.0.1.artifacts', '0.0.1.finish', 'document', 'segment']]);
    const after = await service.document(id);
    expect([after.media[0], after.media[2]]).to.deep.equal([before.media[0], before.media[2]]);
    expect(after.media[1]!.status).to.equal('COMPLETE');
    expect(picturesOf(id)).to.deep.equal(artifactPaths(after));
    const reference = await service.run(segmented([sound(PICTURE), sound(video), sound(video)]));
    expect(plain(after)).to.deep.equal(plain(reference));
    await until(
      'the spool is gone',
      () => spooled(id),
      (names) => names.length === 0,
    );
    await until('both ends are told', () => receiver.requests.length >= 2);
    expect([...receiver.keys.keys()]).to.deep.equal([`${id}.1.callback`, `${id}.2.callback`]);
  });

  it('continues a pipeline of several tasks where a medium failed', async () => {
    const action = (name: string, algorithm: string) => ({
      ...{ name, algorithm },
      properties: [{ name: 'FEED_FORWARD_TYPE', value: 'FRAME' }],
    });
    const pipelineDefinition = {
      pipeline: ['LIGHT TASK', 'THEN TROUBLE TASK', 'THEN LIGHT TASK', 'GENERIC MARKUP TASK'],
      tasks: [
        { name: 'THEN TROUBLE TASK', actions: ['THEN TROUBLE'] },
        { name: 'THEN LIGHT TASK', actions: ['THEN LIGHT'] },
      ],
      actions: [action('THEN TROUBLE', 'TROUBLE'), action('THEN LIGHT', 'LIGHT')],
    };
    const of = (media: JobRequest['media']): JobRequest => {
      const { pipelineName: _, ...request } = segmented(media);
      return { ...request, pipelineDefinition };
    };
    const id = await failed(of([failsOnce(video, 'task'), sound(PICTURE)]));
    const job = await retried(id);
    expect(job.jobStatus).to.equal('COMPLETE');
    const { media } = await service.document(id);
    expect(media.map(({ markupResult }) => (markupResult as { status: string }).status)).to.deep.equal([
      ...['COMPLETE', 'COMPLETE'],
    ]);
    const again = handedOut(id, 2).filter((name) => !name.startsWith('document'));
    expect(
      again.every((name) => /^[123]\.0\.0\./.test(name)),
      again.join(),
    ).to.equal(true);
    expect(plain(await service.document(id))).to.deep.equal(
      plain(await service.run(of([sound(video), sound(PICTURE)]))),
    );
  });

  it('takes all media with a failure from the start when FAILED_MEDIA is wanted', async () => {
    const id = await failed(segmented([failsOnce(video, 'medium'), sound(PICTURE)]));
    expect((await retried(id, { what: 'FAILED_MEDIA' })).jobStatus).to.equal('COMPLETE');
    expect(handedOut(id, 2)).to.deep.equal([
      ...['0.0.0.0', '0.0.0.1', '0.0.0.2', '0.0.0.artifacts', '0.0.0.finish', 'document', 'prepare.0'],
    ]);
  });

  it('applies new job properties to what runs again, and tells of all runs', async () => {
    const request = segmented([PICTURE, PICTURE], { algorithmProperties: {} });
    const id = await failed({ ...request, jobProperties: { TROUBLE: 'code' } });
    const body = {
      what: 'FAILED_SUB_JOBS',
      jobProperties: { TROUBLE: 'none', S3_ACCESS_KEY: 'hidden', S3_SECRET_KEY: 'hidden' },
    };
    expect((await retried(id, body)).jobStatus).to.equal('COMPLETE');
    const { runs = [] } = (await service.detailedJob(id))!;
    expect(
      runs.map(({ run, what, jobStatus, mediaFailed }) => [run, what, jobStatus, mediaFailed]),
    ).to.deep.equal([
      [1, 'ALL', 'ERROR', 2],
      [2, 'FAILED_SUB_JOBS', 'COMPLETE', 0],
    ]);
    expect(runs[1]!.jobProperties).to.have.property('TROUBLE', 'none');
    expect(JSON.stringify(runs)).to.not.contain('hidden');
    expect((await service.resubmit(id)).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus, 'run as it was asked for').to.equal('ERROR');
  });

  it('keeps labels and external id that were changed since, and is made for many jobs at once', async () => {
    const labelled = { labels: ['many'], externalId: 'before' };
    const [one, other] = [
      await failed(segmented([failsOnce(PICTURE, 'many 1')], labelled)),
      await failed(segmented([failsOnce(PICTURE, 'many 2')], labelled)),
    ];
    const sane = await service.submit(segmented([sound(PICTURE)], labelled));
    await service.terminal(sane);
    const edit = { labels: ['many', 'seen'], externalId: 'after' };
    expect((await service.ask('PATCH', `/rest/jobs/${one}`, edit)).status).to.equal(200);
    const request = { action: 'retry', filter: { label: 'many' }, what: 'FAILED_MEDIA' };
    const started = (await service.ask('POST', '/rest/operations', request)).body as OperationInfo;
    const { done, refusals, what } = await until(
      'the operation ends',
      async () => (await service.ask('GET', `/rest/operations/${started.operationId}`)).body as OperationInfo,
      ({ terminal }) => terminal,
    );
    expect([done, what]).to.deep.equal([2, 'FAILED_MEDIA']);
    expect(refusals.map(({ reason, examples }) => [reason, examples])).to.deep.equal([
      ['NOTHING_FAILED', [sane]],
    ]);
    for (const id of [one, other]) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const { labels, externalId, runs } = (await service.detailedJob(one))!;
    expect([labels, externalId]).to.deep.equal([edit.labels, edit.externalId]);
    expect(runs?.map((run) => run.what)).to.deep.equal(['ALL', 'FAILED_MEDIA']);
    expect((await service.document(one))['externalJobId']).to.equal('after');
  });

  it('can be repeated until nothing fails any more', async () => {
    const file = join(service.folder, 'thrice');
    const stubborn = {
      mediaUri: PICTURE,
      properties: { TROUBLE: 'code', TROUBLE_RUNS: '3', TROUBLE_FILE: file },
    };
    const id = await failed(segmented([stubborn, sound(video)]));
    for (const status of ['ERROR', 'ERROR', 'COMPLETE'])
      expect((await retried(id)).jobStatus).to.equal(status);
    expect(readFileSync(file)).to.have.lengthOf(4);
    expect((await service.document(id)).media.map(({ status }) => status)).to.deep.equal([
      'COMPLETE',
      'COMPLETE',
    ]);
  });

  it('continues after it was cancelled', async () => {
    const go = join(service.folder, 'go');
    const waits = { mediaUri: PICTURE, properties: { TROUBLE: 'code' } };
    const id = await failed(segmented([waits, sound(video)]));
    const body = { what: 'FAILED_SUB_JOBS', jobProperties: { TROUBLE_FILE: go } };
    expect((await retried(id, body)).jobStatus).to.equal('ERROR');
    expect((await retry(id)).status).to.equal(200);
    await service.cancel(id);
    await service.terminal(id);
    expect((await retried(id)).jobStatus).to.equal('ERROR');
    expect((await service.document(id)).media[1]!.status).to.equal('COMPLETE');
  });

  it('uses a medium that was missing when the job was created', async () => {
    const late = join(service.mediaDir, 'late.png');
    const id = await failed(segmented([pathToFileURL(late).href, sound(PICTURE)]));
    const { status, body } = await retry(id);
    expect(status, 'while it is still missing').to.equal(409);
    expect((body as { message: string }).message).to.contain('nothing to retry');
    copyFileSync(fileURLToPath(PICTURE), late);
    expect((await retried(id)).jobStatus).to.equal('COMPLETE');
  });

  it('retrieves a medium again, and refuses to mix results of another content with the old ones', async () => {
    let content = await readFile(fileURLToPath(PICTURE));
    const web: Server = createServer((_, response) => {
      response.setHeader('content-type', 'image/png').end(content);
    }).listen(0, '127.0.0.1');
    await once(web, 'listening');
    try {
      const uri = `http://127.0.0.1:${(web.address() as AddressInfo).port}/picture.png`;
      const twice = failsOnce(uri, 'web');
      const properties = { ...twice.properties, TROUBLE_RUNS: '2' };
      const pipelineDefinition = {
        pipeline: ['BOTH'],
        tasks: [{ name: 'BOTH', actions: ['LIGHT ACTION', 'TROUBLE ACTION'] }],
      };
      const id = await failed({ media: [{ mediaUri: uri, properties }], pipelineDefinition });
      expect((await retried(id)).jobStatus).to.equal('ERROR');
      expect(handedOut(id, 2)).to.deep.equal(['0.1.0.0', 'document', 'prepare.0']);
      content = await readFile(fileURLToPath(sampleUri('coffee.png')));
      expect((await retried(id)).jobStatus).to.equal('ERROR');
      const { errors } = await service.document(id);
      expect(JSON.stringify(errors)).to.contain('The medium has changed');
      expect((await retried(id, { what: 'FAILED_MEDIA' })).jobStatus).to.equal('COMPLETE');
    } finally {
      web.close();
    }
  });

  it('looks again at a local medium that was written anew', async () => {
    const file = join(service.mediaDir, 'touched.png');
    copyFileSync(fileURLToPath(PICTURE), file);
    const id = await failed(segmented([failsOnce(pathToFileURL(file).href, 'touched')]));
    utimesSync(file, new Date(), new Date(Date.now() - 60_000));
    expect((await retried(id)).jobStatus).to.equal('COMPLETE');
    expect(handedOut(id, 2)).to.include('prepare.0');
  });

  it('shows a medium that ran again by a new small picture, and keeps those of the others', async () => {
    const changed = join(service.mediaDir, 'shown.png');
    copyFileSync(fileURLToPath(PICTURE), changed);
    const id = await failed(segmented([failsOnce(pathToFileURL(changed).href, 'shown'), sound(PICTURE)]));
    const { media } = await service.document(id);
    const shown = media.map(({ mediaId }) => `/rest/jobs/${id}/media/${mediaId}/frames/0.jpg?small=true`);
    const pictureOf = async (n: number) => {
      const { status, headers } = await service.ask('GET', shown[n]!);
      expect(status).to.equal(200);
      return headers.get('etag');
    };
    const [before, other] = [await pictureOf(0), await pictureOf(1)];
    copyFileSync(fileURLToPath(sampleUri('coffee.png')), changed);
    expect((await retried(id)).jobStatus).to.equal('COMPLETE');
    expect(await pictureOf(0)).to.not.equal(before);
    expect(await pictureOf(1)).to.equal(other);
  });

  it('is found by the search with what it has found', async () => {
    const id = await failed(segmented([failsOnce(PICTURE, 'found')]));
    expect((await retried(id)).jobStatus).to.equal('COMPLETE');
    await until('the search has the new document', async () => {
      const { body } = await service.ask('GET', `/rest/search?type=TROUBLE&job=${id}`);
      return (
        (body as { hits?: readonly { jobId: string }[] }).hits?.some(({ jobId }) => jobId === id) === true
      );
    });
  });

  describe('is refused with a sentence', () => {
    const refusals: readonly (readonly [string, () => Promise<string>, unknown, number, RegExp])[] = [
      [
        'of no job',
        () => Promise.resolve('test-host-999999'),
        undefined,
        404,
        /There is no job "test-host-999999"/,
      ],
      ['of what is no job id', () => Promise.resolve('nonsense'), undefined, 404, /There is no job/],
      [
        'of a job of which nothing failed',
        async () => {
          const id = await service.submit(segmented([sound(PICTURE)]));
          await service.terminal(id);
          return id;
        },
        ...[undefined, 409, /Nothing of job .* failed/],
      ] as never,
      [
        'of a job whose spool was cleared',
        async () => {
          const id = await failed(segmented([failsOnce(PICTURE, 'cleared'), sound(video)]));
          rmSync(join(service.dataDir, 'spool', `${id}.1`), { recursive: true });
          return id;
        },
        ...[undefined, 409, /Results of job .* are missing in the spool/],
      ] as never,
      ['without what', () => failed(segmented([failsOnce(PICTURE, 'without')])), {}, 400, /what/],
      [
        'with a wrong property',
        () => failed(segmented([failsOnce(PICTURE, 'wrong')])),
        { what: 'FAILED_MEDIA', jobProperties: { TRIGGER: 'nonsense' } },
        ...[400, /TRIGGER/],
      ] as never,
    ];
    for (const [name, idOf, body, status, message] of refusals)
      it(name, async () => {
        const refused = await retry(await idOf(), body ?? { what: 'FAILED_SUB_JOBS' });
        expect([refused.status, (refused.body as { message: string }).message]).to.satisfy(
          ([is, text]: [number, string]) => is === status && message.test(text),
          `${refused.status} ${refused.text}`,
        );
      });

    it('of a job that was deleted', async () => {
      const id = await failed(segmented([failsOnce(PICTURE, 'deleted')]));
      expect((await service.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
      expect((await retry(id)).status).to.equal(404);
    });

    it('of a job that runs, so that of several at once one starts', async () => {
      const id = await failed(segmented([failsOnce(video, 'several')]));
      const answers = await Promise.all([retry(id), retry(id), retry(id)]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 409, 409]);
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect((await service.detailedJob(id))!.runs).to.have.lengthOf(2);
    });
  });
});
