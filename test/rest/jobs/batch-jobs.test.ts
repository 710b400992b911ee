/** Batch jobs over REST: specification 2.1, 2.2, 3.1, 4.2 and 7. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { ErrorCode } from '../../../http/routing/error-codes.ts';
import { errorMembers } from '../../../http/routing/errors.ts';
import { packageRoot } from '../../../config/info.ts';
import type { Properties } from '../../../domain/types.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import {
  sampleUri,
  Service,
  tracksOf,
  type Answer,
  type DetectionDocument,
  type JobRequest,
} from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const ASTRONAUT = sampleUri('astronaut.png');
const HELLO = sampleUri('hello-world.png');
/** The default of the setting DEFAULT_PRIORITY. */
const DEFAULT_PRIORITY = 4;
const ISO_LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const LIGHT = { pipelineName: 'LIGHT PIPELINE' } as const;
const WITHOUT_PICTURES = { jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' } } as const;

const FIRST_RUN = { run: 1, what: 'ALL', jobStatus: 'COMPLETE', mediaFailed: 0 };

describe('Batch jobs (specification 4.2)', () => {
  let service: Service;
  let video: string;
  /**
   * Responses to the creation of two jobs, both completed: one with the optional fields tested here, one with
   * defaults.
   */
  let created: readonly Answer[];
  const [ALL, PLAIN] = [0, 1];
  before(async () => {
    service = await Service.openShared();
    created = [
      await service.create({
        media: [HELLO],
        pipelineName: '  light Pipeline ',
        priority: 0,
        externalId: 'order 17 / ü',
      }),
      await service.create({ media: [HELLO], ...LIGHT }),
    ];
    for (const n of [ALL, PLAIN]) await service.terminal(idOf(n));
    makeVideo(join(service.mediaDir, 'video.avi'), { frames: 100, encoder: 'mpeg4' });
    video = pathToFileURL(join(service.mediaDir, 'video.avi')).href;
  });
  after(() => service.close());

  const idOf = (n: number) => (created[n]!.body as { jobId: string }).jobId;
  const slow = (): JobRequest => ({
    media: [video],
    pipelineName: 'TROUBLE PIPELINE',
    algorithmProperties: { TROUBLE: { TROUBLE: 'slow' } },
  });
  /** Waits until it is cancelled, because its component does not exist. */
  const waitingJob = (): JobRequest => ({ media: [HELLO], pipelineName: 'ABSENT PIPELINE' });
  const isRunning = (id: string) =>
    service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
  const tracks = (document: DetectionDocument, medium = 0) => tracksOf(document.media[medium], 'LIGHT');
  const spans = (document: DetectionDocument) =>
    tracks(document).map(({ startOffsetFrame, stopOffsetFrame }) => [startOffsetFrame, stopOffsetFrame]);

  describe('POST /rest/jobs', () => {
    it('answers 201 with a JobCreationResponse', () => {
      const { status, body } = created[PLAIN]!;
      expect(status).to.equal(201);
      const { jobId, ...rest } = body as { jobId: string };
      expect(jobId).to.match(/^test-host-\d+$/);
      expect(rest).to.deep.equal({
        coreResponse: { responseCode: 0, message: null },
        archiveCheckStatus: 'NO_ARCHIVE_URL_IN_JOB',
      });
    });

    it('gives jobs ascending numbers', () => {
      const [first, second] = [ALL, PLAIN].map((n) => Number(idOf(n).replace('test-host-', '')));
      expect(second! - first!).to.equal(1);
    });

    it('finds a pipeline by its name in any case and with blanks around it', async () => {
      expect((await service.job(idOf(ALL)))?.pipelineName).to.equal('LIGHT PIPELINE');
    });

    it('takes a number as externalId for its text', async () => {
      const body = { media: [{ mediaUri: ASTRONAUT }], ...LIGHT, externalId: 4711 };
      const { status, body: answer } = await service.ask('POST', '/rest/jobs', body);
      expect(status).to.equal(201);
      const { jobId } = answer as { jobId: string };
      await service.terminal(jobId);
      expect(await service.document(jobId)).to.include({ externalJobId: '4711' });
    });

    it('uses the given priority, or 4; shows the externalId in the output, or null', async () => {
      for (const [n, priority, externalId] of [
        [ALL, 0, 'order 17 / ü'],
        [PLAIN, 4, null],
      ] as const) {
        expect((await service.job(idOf(n)))?.jobPriority).to.equal(priority);
        expect(await service.document(idOf(n))).to.include({ priority, externalJobId: externalId });
      }
    });

    it('builds no output when buildOutput is false', async () => {
      const id = await service.submit({ media: [HELLO], ...LIGHT, buildOutput: false });
      const job = await service.terminal(id);
      expect([job.jobStatus, job.outputObjectPath]).to.deep.equal(['COMPLETE', null]);
      const { status, text } = await service.ask('GET', `/rest/jobs/${id}/output/detection`);
      expect([status, text]).to.deep.equal([400, '']);
      expect(await service.files('output-objects')).to.not.include(`${id}.1`);
    });

    it('takes media from file: and data: URIs', async () => {
      const bytes = readFileSync(join(packageRoot, 'samples', 'hello-world.png'));
      const inline = `data:image/png;base64,${bytes.toString('base64')}`;
      const document = await service.run({
        media: [HELLO, inline],
        ...LIGHT,
        ...WITHOUT_PICTURES,
      });
      expect(document.status).to.equal('COMPLETE');
      const [file, data] = document.media;
      expect(data?.['sha256']).to.equal(file?.['sha256']);
      expect(tracks(document, 1)).to.deep.equal(tracks(document, 0));
    });

    it('processes only the given frame ranges of a video', async () => {
      const frameRanges = [
        { start: 40, stop: 44 },
        { start: 10, stop: 19 },
      ];
      const document = await service.run({
        media: [{ mediaUri: video, frameRanges }],
        ...LIGHT,
        ...WITHOUT_PICTURES,
      });
      expect(spans(document)).to.deep.equal([
        [10, 19],
        [40, 44],
      ]);
      expect(document.media[0]?.['frameRanges']).to.deep.equal(frameRanges);
    });

    it('takes time ranges in milliseconds, inclusive, and combines them with frame ranges', async () => {
      const times = [{ start: 2_000, stop: 2_400 }];
      const alone = await service.run({
        media: [{ mediaUri: video, timeRanges: times }],
        ...LIGHT,
        ...WITHOUT_PICTURES,
      });
      expect(spans(alone)).to.deep.equal([[50, 60]]);
      const frames = [
        { start: 0, stop: 4 },
        { start: 58, stop: 70 },
      ];
      const both = await service.run({
        media: [{ mediaUri: video, timeRanges: times, frameRanges: frames }],
        ...LIGHT,
        ...WITHOUT_PICTURES,
      });
      expect(spans(both)).to.deep.equal([
        [0, 4],
        [50, 70],
      ]);
    });

    it('believes metadata that are complete and skips the inspection', async () => {
      const metadata = {
        MEDIA_HASH: 'ab'.repeat(32),
        MIME_TYPE: 'image/png',
        FRAME_WIDTH: '512',
        FRAME_HEIGHT: '512',
      };
      const document = await service.run({ media: [{ mediaUri: ASTRONAUT, metadata }], ...LIGHT });
      expect([document.status, document.media[0]?.['sha256']]).to.deep.equal(['COMPLETE', 'ab'.repeat(32)]);
    });

    it('runs a pipeline definition of the request, whose tasks and actions precede stored ones', async () => {
      const pipelineDefinition = {
        pipeline: ['light task'],
        tasks: [
          { name: 'LIGHT TASK', actions: ['LIGHT ACTION'] },
          { name: 'NOT LISTED', actions: ['NO SUCH ACTION'] },
        ],
        actions: [
          {
            name: 'LIGHT ACTION',
            algorithm: 'light',
            properties: [{ name: 'LABEL', value: 'of the request' }],
          },
        ],
      };
      const document = await service.run({ media: [HELLO], pipelineDefinition });
      expect(tracks(document).map(({ trackProperties }) => trackProperties['LABEL'])).to.deep.equal([
        'of the request',
      ]);
      expect(
        (document['pipeline'] as { tasks: { name: string }[] }).tasks.map(({ name }) => name),
      ).to.deep.equal(['LIGHT TASK']);
    });

    it('mixes stored tasks and actions into a pipeline definition', async () => {
      const pipelineDefinition = {
        pipeline: ['MINE', 'LABELLED LIGHT TASK'],
        tasks: [{ name: 'MINE', actions: ['LIGHT ACTION'] }],
      };
      const document = await service.run({ media: [HELLO], pipelineDefinition, ...WITHOUT_PICTURES });
      const [medium] = document.media;
      expect(medium?.output['LIGHT']?.map(({ source }) => source)).to.deep.equal([
        'LIGHT ACTION',
        'LABELLED LIGHT ACTION',
      ]);
    });

    it('runs a later task only on images in which the task before found something', async () => {
      const nothing = { QUALITY_SELECTION_THRESHOLD: '2' };
      const document = await service.run({
        media: [ASTRONAUT, { mediaUri: ASTRONAUT, properties: nothing }],
        pipelineName: 'LIGHT TWICE PIPELINE',
        jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' },
      });
      const sources = document.media.map(({ output }) =>
        Object.entries(output).map(([type, entries]) => [type, entries.map(({ source }) => source)]),
      );
      expect(sources).to.deep.equal([
        [['LIGHT', ['LIGHT ACTION', 'LABELLED LIGHT ACTION']]],
        [['NO TRACKS', ['LIGHT ACTION', 'LABELLED LIGHT ACTION']]],
      ]);
      const second = service.handedOut().filter(({ subJob }) => subJob.startsWith(`${document.jobId}.1.1.`));
      expect(second.map(({ subJob }) => subJob)).to.deep.equal([
        `${document.jobId}.1.1.0.0.0`,
        `${document.jobId}.1.1.0.0.finish`,
        `${document.jobId}.1.1.0.0.artifacts`,
      ]);
    });
  });

  describe('GET /rest/jobs/{id}', () => {
    it('stands where the answer to its creation says', async () => {
      const location = created[PLAIN]!.headers.get('location') ?? '';
      const jobId = idOf(PLAIN);
      expect(location).to.equal(`${service.url}/rest/jobs/${jobId}`);
      expect((await service.ask('GET', new URL(location).pathname)).body).to.include({ jobId });
    });

    it('answers all fields of SingleJobInfo for a job that has ended', async () => {
      const id = await service.submit({ media: [HELLO, video], ...LIGHT, priority: 7 });
      const { startDate, endDate, ...rest } = await service.terminal(id);
      expect(rest).to.deep.equal({
        jobId: id,
        jobPriority: 7,
        jobProgress: 100,
        jobStatus: 'COMPLETE',
        terminal: true,
        mediaUris: [HELLO, video],
        outputObjectPath: join(service.dataDir, 'output-objects', `${id}.1`, 'detection.json'),
        pipelineName: 'LIGHT PIPELINE',
        archiveStatus: 'NOT REQUESTED',
        callbackStatus: 'NOT REQUESTED',
      });
      expect(startDate).to.match(ISO_LOCAL);
      expect(endDate).to.match(ISO_LOCAL);
      expect(Date.parse(endDate ?? '')).to.be.at.least(Date.parse(startDate));
    });

    it('tells what the specification does not list only with details=true', async () => {
      const id = idOf(ALL);
      const listed = await service.terminal(id);
      for (const asked of ['true', 'TRUE']) {
        const { body } = await service.ask('GET', `/rest/jobs/${id}?details=${asked}`);
        expect(body).to.deep.equal({
          ...listed,
          externalId: 'order 17 / ü',
          owner: { user: 'troupe-cli' },
          labels: [],
          runs: [{ ...FIRST_RUN, startDate: listed.startDate, endDate: listed.endDate }],
          mediaHrefs: [`media/${(await service.document(id)).media[0]!.mediaId}`],
          mediaSucceeded: 1,
        });
      }
      expect((await service.ask('GET', `/rest/jobs/${id}?details=false`)).body).to.deep.equal(listed);
    });

    it('shows a job that runs as not terminal, with a progress that grows and never falls', async () => {
      const id = await service.submit({
        ...slow(),
        media: [{ mediaUri: video, frameRanges: [{ start: 0, stop: 29 }] }],
      });
      const first = await service.job(id);
      expect([first?.jobStatus, first?.terminal, first?.endDate, first?.outputObjectPath]).to.deep.equal([
        'IN_PROGRESS',
        false,
        null,
        null,
      ]);
      const seen: number[] = [];
      await until(`job ${id} is terminal`, async () => {
        const job = await service.job(id);
        seen.push(job?.jobProgress ?? -1);
        return job?.terminal;
      });
      expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
      expect([Math.min(...seen), Math.max(...seen)], 'within 0 and 100').to.deep.equal([0, 100]);
      expect(new Set(seen).size, `different values of ${seen.join(', ')}`).to.be.greaterThan(3);
    });

    it('knows a job by its number alone and by any host part', async () => {
      const id = idOf(PLAIN);
      const number = id.replace('test-host-', '');
      for (const form of [number, id, `other-${number}`, `a-b-${number}`])
        expect((await service.job(form))?.jobId).to.equal(id);
    });
  });

  describe('GET /rest/jobs/{id}/output/detection', () => {
    it('answers the detection output object with all its fields', async () => {
      const properties = { LABEL: 'of the medium' };
      const jobProperties = {
        LABEL: 'of the job',
        OUTPUT_DETAILS: 'TRUE',
        ARTIFACT_EXTRACTION_POLICY: 'VISUAL_TYPES_ONLY',
      };
      const id = await service.submit({
        media: [{ mediaUri: ASTRONAUT, properties }],
        ...LIGHT,
        externalId: 'x',
        jobProperties,
        algorithmProperties: { LIGHT: { LABEL: 'of the algorithm here' } },
      });
      await service.terminal(id);
      const { headers, text } = await service.ask('GET', `/rest/jobs/${id}/output/detection`);
      expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(text).to.equal(
        readFileSync(join(service.dataDir, 'output-objects', `${id}.1`, 'detection.json'), 'utf8'),
      );

      const document = JSON.parse(text) as DetectionDocument;
      const {
        objectId,
        timeStart,
        timeStop,
        media,
        timing,
        effectiveProperties,
        componentVersions,
        ...rest
      } = document;
      expect(rest).to.deep.equal({
        jobId: id,
        errors: [],
        warnings: [],
        pipeline: {
          name: 'LIGHT PIPELINE',
          description: 'Brightness.',
          tasks: [
            {
              actionType: 'DETECTION',
              name: 'LIGHT TASK',
              description: 'Brightness.',
              actions: [
                { algorithm: 'LIGHT', name: 'LIGHT ACTION', description: 'Brightness.', properties: {} },
              ],
            },
          ],
        },
        priority: 4,
        siteId: 'troupe1',
        externalJobId: 'x',
        status: 'COMPLETE',
        algorithmProperties: { LIGHT: { LABEL: 'of the algorithm here' } },
        jobProperties,
        environmentVariableProperties: {},
      });
      const { processingTime, actions } = timing as { processingTime: number; actions: readonly object[] };
      expect(processingTime, 'milliseconds').to.be.at.least(0);
      expect(actions).to.deep.equal([{ name: 'LIGHT ACTION', processingTime }]);
      expect(componentVersions).to.deep.equal([
        { action: 'LIGHT ACTION', algorithm: 'LIGHT', versions: ['0.1.0'] },
      ]);
      const [first, ...others] = effectiveProperties as readonly { properties: Properties }[];
      expect(others).to.deep.equal([]);
      expect(first).to.include({ action: 'LIGHT ACTION', algorithm: 'LIGHT', mediaType: 'IMAGE' });
      expect(first?.properties, "the medium's own properties apart").to.include({
        LABEL: 'of the algorithm here',
        ARTIFACT_EXTRACTION_POLICY: 'VISUAL_TYPES_ONLY',
      });
      expect(objectId).to.match(/^[0-9a-f-]{36}$/);
      expect(timeStart).to.match(ISO_UTC);
      expect(timeStop).to.match(ISO_UTC);

      const [{ mediaId, output, ...medium } = media[0]!] = media;
      expect(mediaId).to.be.a('number');
      expect(medium).to.deep.equal({
        parentMediaId: -1,
        path: ASTRONAUT,
        href: `media/${mediaId}`,
        sha256: '88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5',
        mimeType: 'image/png',
        mediaType: 'IMAGE',
        length: 1,
        frameRanges: [],
        timeRanges: [],
        mediaMetadata: { MIME_TYPE: 'image/png', FRAME_WIDTH: '512', FRAME_HEIGHT: '512' },
        mediaProperties: properties,
        status: 'COMPLETE',
        detectionProcessingErrors: {},
        markupResult: null,
      });
      const detection = {
        offsetFrame: 0,
        offsetTime: 0,
        x: 0,
        y: 0,
        width: 512,
        height: 512,
        confidence: 0.4494,
        detectionProperties: { MEAN: '114.60' },
        artifactExtractionStatus: 'COMPLETED',
        artifactPath: pathToFileURL(
          join(service.dataDir, 'artifacts', `${id}.1`, String(mediaId), '0', '0', '0', 'frame-0.png'),
        ).href,
        artifactHref: `artifacts/${mediaId}/0/0/0/frame-0.png`,
      };
      const { id: trackId, ...track } = tracksOf(media[0], 'LIGHT')[0]!;
      expect(trackId).to.match(/^[0-9a-f]{64}$/);
      expect(Object.keys(output)).to.deep.equal(['LIGHT']);
      expect(output['LIGHT']).to.have.length(1);
      expect(output['LIGHT']?.[0]).to.include({ source: 'LIGHT ACTION', algorithm: 'LIGHT' });
      expect(track).to.deep.equal({
        index: 0,
        startOffsetFrame: 0,
        stopOffsetFrame: 0,
        startOffsetTime: 0,
        stopOffsetTime: 0,
        type: 'LIGHT',
        source: 'LIGHT ACTION',
        confidence: 0.4494,
        trackProperties: { LABEL: 'of the medium', CAPTION: '' },
        exemplar: detection,
        detections: [detection],
      });
    });

    it('has media in the order of the request and tracks in the order of their starts', async () => {
      const names = ['rocket.jpg', 'astronaut.png', 'coffee.png', 'astronaut.png'];
      const document = await service.run({
        media: [video, ...names.map(sampleUri)],
        ...LIGHT,
        jobProperties: {
          ...WITHOUT_PICTURES.jobProperties,
          TARGET_SEGMENT_LENGTH: '20',
          MIN_SEGMENT_LENGTH: '5',
          MERGE_TRACKS: 'FALSE',
        },
      });
      expect(document.media.map(({ path }) => path)).to.deep.equal([video, ...names.map(sampleUri)]);
      const ids = document.media.map(({ mediaId }) => mediaId);
      expect(ids).to.deep.equal(ids.toSorted((a, b) => a - b));
      expect(spans(document)).to.deep.equal([0, 20, 40, 60, 80].map((start) => [start, start + 19]));
    });

    it('has the key NO TRACKS with source and algorithm for a medium on which nothing was found', async () => {
      const properties = { TRACK_CONFIDENCE: '1', QUALITY_SELECTION_THRESHOLD: '2' };
      const document = await service.run({ media: [{ mediaUri: ASTRONAUT, properties }], ...LIGHT });
      expect(document.media[0]?.output).to.deep.equal({
        'NO TRACKS': [{ source: 'LIGHT ACTION', algorithm: 'LIGHT' }],
      });
    });

    it('is the same for the same input but for ids, dates and paths of artifacts', async () => {
      const frameRanges = [{ start: 0, stop: 9 }];
      const request = { media: [{ mediaUri: video, frameRanges }, HELLO], ...LIGHT, ...WITHOUT_PICTURES };
      const [first, second] = [await service.run(request), await service.run(request)];
      expect(second.media.map(({ output }) => output)).to.deep.equal(first.media.map(({ output }) => output));
      expect(second['objectId']).to.not.equal(first['objectId']);
    });
  });

  describe('POST /rest/jobs/{id}/cancel', () => {
    it('ends a running job CANCELLED within seconds, with a document', async () => {
      const id = await service.submit(slow());
      await isRunning(id);
      const { status, body } = await service.cancel(id);
      expect([status, body]).to.deep.equal([200, { responseCode: 0, message: null }]);
      expect((await service.job(id))?.jobStatus).to.be.oneOf(['CANCELLING', 'CANCELLED']);
      const job = await service.terminal(id);
      expect(job.jobStatus).to.equal('CANCELLED');
      const document = await service.document(id);
      expect(document.status).to.equal('CANCELLED');
      expect(document.media.map(({ path }) => path)).to.deep.equal([video]);
    });

    const refusal = (message: string, code: ErrorCode = 'job-finished') => [
      400,
      { responseCode: 1, ...errorMembers(code, message, `${service.url}/docs`) },
    ];

    it('says of a job that has completed that it cannot be cancelled', async () => {
      const id = idOf(PLAIN);
      const { status, body } = await service.cancel(id);
      expect([status, body]).to.deep.equal(
        refusal(`Job ${id} has already completed, so it cannot be cancelled.`),
      );
      expect((await service.job(id))?.jobStatus).to.equal('COMPLETE');
    });

    it('says of a job that was cancelled that it has already been', async () => {
      const id = await service.submit(slow());
      await isRunning(id);
      await service.cancel(id);
      await service.terminal(id);
      const { status, body } = await service.cancel(id);
      expect([status, body]).to.deep.equal(refusal(`Job ${id} has already been cancelled.`));
    });

    it('says of a job that is not there that no job has this id', async () => {
      const { status, body } = await service.cancel('test-host-999999');
      expect([status, body]).to.deep.equal(
        refusal(
          "Failed to cancel the job with id '999999'. No job has this id. GET /rest/jobs lists all jobs.",
          'job-not-found',
        ),
      );
    });
  });

  describe('POST /rest/jobs/{id}/resubmit', () => {
    it('resubmits a job under its id with a new document, default priority and old properties', async () => {
      const id = await service.submit({
        media: [HELLO],
        ...LIGHT,
        priority: 8,
        jobProperties: { LABEL: 'kept' },
      });
      await service.terminal(id);
      const old = await service.document(id);
      const { status, body } = await service.resubmit(id.replace('test-host-', ''));
      expect([status, body]).to.deep.equal([
        200,
        {
          jobId: id,
          coreResponse: { responseCode: 0, message: null },
          archiveCheckStatus: 'NO_ARCHIVE_URL_IN_JOB',
        },
      ]);
      const job = await service.terminal(id);
      const document = await service.document(id);
      expect([job.jobStatus, job.jobPriority]).to.deep.equal(['COMPLETE', 4]);
      expect(document['objectId']).to.not.equal(old['objectId']);
      // Each run of a job stores its pictures in its own folder.
      const media = JSON.stringify(document.media).replaceAll(`/${id}.2/`, `/${id}.1/`);
      expect(JSON.parse(media)).to.deep.equal(old.media);
      expect(tracks(document)[0]?.trackProperties['LABEL']).to.equal('kept');
    });

    it('takes jobPriority as the field of a form, too; that of the query goes before', async () => {
      const id = await service.submit(waitingJob());
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const [query, field, expected] of [
        ['', 'jobPriority=8', 8],
        ['?jobPriority=2', 'jobPriority=8', 2],
        ['?jobPriority=9', 'other=1', 9],
        ['?jobPriority=', '', DEFAULT_PRIORITY],
        ['', 'jobPriority=', DEFAULT_PRIORITY],
      ] as const) {
        await service.cancel(id);
        await service.terminal(id);
        const { status } = await service.ask('POST', `/rest/jobs/${id}/resubmit${query}`, field, form);
        expect(status).to.equal(200);
        expect((await service.job(id))?.jobPriority).to.equal(expected);
      }
      await service.cancel(id);
      await service.terminal(id);
      const bad = await service.ask('POST', `/rest/jobs/${id}/resubmit`, 'jobPriority=10', form);
      expect([bad.status, (bad.body as { jobId: null }).jobId]).to.deep.equal([400, null]);
    });

    it('is refused for a jobPriority out of range or without sense, and the old document stays', async () => {
      const id = idOf(PLAIN);
      const old = await service.document(id);
      for (const value of ['10', '-1', '1.5', 'high']) {
        const { status, body } = await service.resubmit(id, `?jobPriority=${value}`);
        const { jobId, coreResponse } = body as {
          jobId: null;
          coreResponse: { responseCode: number; message: string };
        };
        expect([status, jobId, coreResponse.responseCode], value).to.deep.equal([400, null, 1]);
        expect(coreResponse.message).to.include('jobPriority');
      }
      expect(await service.document(id)).to.deep.equal(old);
    });

    it('is refused for a job that is not terminal', async () => {
      const id = await service.submit(waitingJob());
      const { status, body } = await service.resubmit(id);
      const number = id.replace('test-host-', '');
      const message = `Failed to resubmit the job with id '${number}'. The job with id ${number} is in the non-terminal state of 'IN_PROGRESS'. Only jobs in a terminal state may be resubmitted.`;
      expect([status, body]).to.deep.equal([
        400,
        {
          jobId: null,
          coreResponse: { responseCode: 1, message },
          archiveCheckStatus: null,
          ...errorMembers('job-not-finished', message, `${service.url}/docs`),
        },
      ]);
      await service.cancel(id);
      expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
      expect((await service.resubmit(id)).status, 'a cancelled job can').to.equal(200);
      await service.cancel(id);
      await service.terminal(id);
    });
  });

  describe('An invalid job id', () => {
    const UNPARSABLE = ['abc', 'host-', '1e3', '12x', '-', 'host-1.5', '%00'];
    const UNKNOWN = ['999999', 'test-host-999999', '99999999999999999999'];

    it('is answered 400 with an empty body by GET of the job and of its output', async () => {
      for (const id of [...UNPARSABLE, ...UNKNOWN])
        for (const path of [`/rest/jobs/${id}`, `/rest/jobs/${id}/output/detection`]) {
          const { status, text } = await service.ask('GET', path);
          expect([path, status, text]).to.deep.equal([path, 400, '']);
        }
    });

    it('is answered 400 with a CoreResponse by cancel', async () => {
      for (const id of [...UNPARSABLE, ...UNKNOWN]) {
        const { status, body } = await service.cancel(id);
        const { responseCode, message } = body as { responseCode: number; message: string };
        expect([id, status, responseCode]).to.deep.equal([id, 400, 1]);
        expect(message).to.match(/^Failed to (cancel the job with id|parse job id of) '/);
      }
      const { body } = await service.cancel('abc');
      expect((body as { message: string }).message).to.equal(
        "Failed to parse job id of 'abc'. Expected a job id like <hostname>-<integer>.",
      );
    });

    it('is answered 400 with a JobCreationResponse by resubmit', async () => {
      for (const id of [...UNPARSABLE, ...UNKNOWN]) {
        const { status, body } = await service.resubmit(id);
        const { jobId, coreResponse } = body as {
          jobId: null;
          coreResponse: { responseCode: number; message: string };
        };
        expect([id, status, jobId, coreResponse.responseCode]).to.deep.equal([id, 400, null, 1]);
        expect(coreResponse.message).to.match(/^Failed to (resubmit the job with id|parse job id of) '/);
      }
      const { body } = await service.resubmit('999999');
      expect((body as { coreResponse: object }).coreResponse).to.deep.equal({
        responseCode: 1,
        message: "Failed to resubmit the job with id '999999'. There was no job with id: 999999",
      });
    });
  });

  it('need a token on every endpoint: without one 401, an empty body and WWW-Authenticate', async () => {
    const endpoints = [
      ['POST', '/rest/jobs'],
      ['GET', '/rest/jobs/1'],
      ['POST', '/rest/jobs/1/cancel'],
      ['GET', '/rest/jobs/1/output/detection'],
      ['POST', '/rest/jobs/1/resubmit'],
      ['GET', '/rest/info'],
      ['GET', '/rest/no/such/thing'],
      ...['pipelines', 'tasks', 'actions', 'algorithms'].flatMap((kind) => [
        ['GET', `/rest/${kind}`],
        ['GET', `/rest/${kind}/X`],
      ]),
    ] as const;
    for (const [method = '', path = ''] of endpoints)
      for (const authorization of ['', 'Bearer nonsense', `Basic ${service.token}`]) {
        const body = path === '/rest/jobs' ? { media: [{ mediaUri: ASTRONAUT }], ...LIGHT } : undefined;
        const { status, text, headers } = await service.ask(method, path, body, { authorization });
        expect([path, status]).to.deep.equal([path, 401]);
        expect((JSON.parse(text) as { message: string }).message).to.include('valid access token');
        expect(headers.get('www-authenticate')).to.match(/^Bearer/);
      }
  });
});
