import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { DOCUMENT_FORMATS } from '../../domain/job/export-formats.ts';
import type { RunningServer } from '../../main.ts';
import { bitmapOf } from '../support/media/bitmap.ts';
import { writeWhisperModel } from '../support/media/whisper-model.ts';
import { yoloModel } from '../components/models/onnx/own-model.ts';
import { ownToken } from '../support/tokens.ts';
import { answer as answerWith, Receiver } from '../support/servers/receiver.ts';
import { until } from '../support/until.ts';
import { answer, withService, type Handler } from './support/scripted-service.ts';
import { documentOf, Place, tracksOf, type Outcome } from './support/support.ts';

const HOST = 'cli-host';
/** Its detector starts faster than all others. */
const PICTURES = 'IMAGE PROPERTIES DETECTION PIPELINE';
/** Takes almost no time to process. */
const PICTURE = bitmapOf(new Uint8Array(16 * 16 * 3), 16, 16);
const SERVICE = `${HOST}:TroupeImageProperties:1`;

describe('troupe, over the REST interface', () => {
  let place: Place;
  let request: string;
  let server: RunningServer;
  before(async () => {
    place = new Place({ warm: true });
    const media = path.join(place.folder, 'media');
    mkdirSync(media);
    writeFileSync(path.join(media, 'picture.bmp'), PICTURE);
    server = await place.serveHere({ MEDIA_ROOTS: media, JOB_ID_HOST: HOST });
    const mediaUri = pathToFileURL(path.join(media, 'picture.bmp')).href;
    request = JSON.stringify({ media: [{ mediaUri }], pipelineName: PICTURES });
  });
  after(() => place.leave());

  const good = async (...args: readonly string[]): Promise<string> =>
    checkOutcome(args, await place.troupe(args));
  const json = async (...args: readonly string[]) => JSON.parse(await good(...args, '--json')) as unknown;
  const refusalOf = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.troupe(args);
    expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
    return stderr;
  };
  const file = (name: string, content: unknown): string => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(path.join(place.folder, name), text);
    return name;
  };
  const createJob = async (...more: readonly string[]): Promise<string> => {
    const { jobId } = (await json('jobs', 'create', file('job.json', request), ...more)) as { jobId: string };
    return jobId;
  };
  /** A completed job that several tests share. */
  const endedJob = (): Promise<string> =>
    (oneEnded ??= createJob().then(async (id) => {
      await good('jobs', 'watch', id);
      return id;
    }));
  let oneEnded: Promise<string> | undefined;

  describe('jobs', () => {
    it('are created from a file or standard input, watched to their end, and shown', async () => {
      const args = ['jobs', 'create', '-'];
      const said = checkOutcome(args, await place.troupeReading(request, args));
      const id = /^Job (\S+) is accepted; troupe jobs watch \1 shows its progress\.$/m.exec(said)?.[1] ?? '';
      expect(id).to.match(/^cli-host-\d+$/);
      const watched = await place.troupe(['jobs', 'watch', id]);
      expect(watched.stdout).to.match(
        new RegExp(`^Job ${id} \\(${PICTURES}\\): COMPLETE after [\\d.]+ s\n$`),
      );
      expect(watched.stderr).to.match(/100 % {2}COMPLETE\n$/);
      const shown = await good('jobs', 'show', id);
      expect(shown)
        .to.match(/^Status +COMPLETE$/m)
        .and.to.match(/^Media +media\/picture\.bmp$/m);
      expect(await json('jobs', 'show', id)).to.include({ jobId: id, terminal: true, jobPriority: 4 });
    });

    it('are shown with their errors, and with the names of their media as people write them', async () => {
      writeFileSync(path.join(place.folder, 'media', 'Grüße 1.mp4'), 'these are words');
      const uri = pathToFileURL(path.join(place.folder, 'media', 'Grüße 1.mp4')).href;
      const { media } = JSON.parse(request) as { media: readonly object[] };
      const job = file('broken.json', { media: [...media, { mediaUri: uri }], pipelineName: PICTURES });
      const { jobId } = (await json('jobs', 'create', job)) as { jobId: string };
      expect((await place.troupe(['jobs', 'watch', jobId])).stdout).to.match(/, 1 of 2 media succeeded\n$/);
      expect(await good('jobs', 'show', jobId))
        .to.match(/^Status +(ERROR|COMPLETE_WITH_ERRORS)$/m)
        .and.to.match(/^Succeeded +1 of 2 media$/m)
        .and.to.match(/^ +media\/Grüße 1\.mp4$/m)
        .and.to.match(/\n\nerror [A-Z_]+ \(media\/Grüße 1\.mp4, IMAGE PROPERTIES\): .+\n$/);
      expect(await good('jobs', 'summary', jobId)).to.match(/^2 media, 1 track, 1 with errors$/m);
      await good('jobs', 'delete', jobId);
    });

    it('are created with properties that nobody knows, about which standard error has a note', async () => {
      const job = { ...(JSON.parse(request) as object), jobProperties: { FRAME_INTERVALL: '5' } };
      const { code, stdout, stderr } = await place.troupe(['jobs', 'create', file('job.json', job)]);
      expect([code, stderr]).to.deep.equal([
        0,
        'Warning: jobProperties: the property FRAME_INTERVALL is not known here (did you mean FRAME_INTERVAL?); it is passed on and has no other effect.\n',
      ]);
      expect(stdout).to.match(/^Job \S+ is accepted;/);
    });

    it('are not created by a dry run, which shows what they would do', async () => {
      const job = { ...(JSON.parse(request) as object), jobProperties: { FRAME_INTERVALL: '5' } };
      // Jobs of earlier tests may still run.
      const listJobs = async () =>
        ((await json('jobs', 'list')) as { readonly jobs: readonly { readonly jobId: string }[] }).jobs.map(
          ({ jobId }) => jobId,
        );
      const before = await listJobs();
      const args = ['jobs', 'create', file('job.json', job), '--dry-run'];
      const { code, stdout, stderr } = await place.troupe(args);
      expect(code, stderr).to.equal(0);
      expect(stderr).to.match(/^Warning: jobProperties: .*\(did you mean FRAME_INTERVAL\?\)/);
      expect(stdout)
        .to.match(/^Nothing was stored\. The job would do this:$/m)
        .and.to.match(new RegExp(`^Pipeline +${PICTURES}$`, 'm'))
        .and.to.match(/^ +Algorithm +IMAGE PROPERTIES$/m)
        .and.to.match(/^ +Properties +.*\bFRAME_INTERVALL=5$/m)
        .and.to.match(/^ +Queue +TROUPE\.DETECTION_IMAGE PROPERTIES_REQUEST/m);
      expect(await listJobs()).to.deep.equal(before);
    });

    it('show in a dry run what of the media is looked at', async () => {
      const args = ['analyze', 'media/picture.bmp', '--pipeline', PICTURES, '--dry-run'];
      const { url } = server;
      const showRange = async (...range: readonly string[]) => good(...args, '--url', url, ...range);
      expect(await showRange('--from', '2', '--to', '1:05.5')).to.match(
        /^Media +\S+picture\.bmp, 0:00:02\.000 to 0:01:05\.500$/m,
      );
      expect(await showRange('--from', '2')).to.match(/picture\.bmp, 0:00:02\.000 to the end$/m);
      expect(await showRange()).to.match(/^Media +\S+picture\.bmp$/m);
      expect(await refusalOf(...args, '--url', url, '--from', '5', '--to', '2')).to.include(
        '--to must be later than --from.',
      );
    });

    it('count the pages of documents in a dry run', async () => {
      const medium = {
        mediaUri: 'data:application/pdf;base64,JVBERg==',
        frameRanges: [{ start: 2, stop: 5 }],
      };
      const job = { pipelineName: 'DOCUMENT TEXT DETECTION PIPELINE', media: [medium] };
      const args = ['jobs', 'create', file('pages.json', job), '--dry-run'];
      expect(await good(...args)).to.match(/^Media +data:\S+ \(UNKNOWN\), pages 2 to 5$/m);
    });

    it('are created once under one idempotency key', async () => {
      const first = await createJob('--idempotency-key', 'one');
      expect(await createJob('--idempotency-key', 'one')).to.equal(first);
      expect(await createJob()).to.not.equal(first);
    });

    it('are listed newest first, by status and pipeline, page by page', async () => {
      const ended = await createJob();
      await good('jobs', 'watch', ended);
      const ids = [ended, await createJob(), await createJob()].toReversed();
      const lines = (await good('jobs', 'list', '--limit', '3')).trimEnd().split('\n');
      expect(lines[0]).to.match(/^JOB +STATUS +% +PRIORITY +STARTED +TOOK +PIPELINE +MEDIA$/);
      expect(lines.slice(1).map((line) => line.split(' ')[0])).to.deep.equal(ids);
      const { jobs, next } = (await json('jobs', 'list', '--limit', '2')) as {
        jobs: { jobId: string }[];
        next: string;
      };
      expect(jobs.map(({ jobId }) => jobId)).to.deep.equal(ids.slice(0, 2));
      expect(next).to.be.a('string');
      const all = (await json(
        'jobs',
        'list',
        '--all',
        '--status',
        'complete',
        '--pipeline',
        PICTURES,
      )) as Page;
      expect(all.jobs.map(({ jobId }) => jobId)).to.include(ids[2]);
      expect(all.next).to.equal(null);
      const any = [
        '--status',
        'error',
        '--status',
        'COMPLETE',
        '--ended-from',
        '2020-01-01',
        '--ended-to',
        '2100-01-01T09:30',
      ];
      const some = (await json('jobs', 'list', '--medium', '/', ...any)) as Page;
      expect(some.jobs.map(({ jobId }) => jobId)).to.include(ids[2]);
      const later = ['jobs', 'list', '--started-from', '2100-01-01', '--external-id', 'none'];
      expect(await json(...later)).to.deep.equal({ jobs: [], next: null });
      expect(await refusalOf('jobs', 'list', '--ended-to', 'soon')).to.include('Write a day (2026-03-01)');
      expect(await json('jobs', 'list', '--status', 'ERROR')).to.deep.equal({ jobs: [], next: null });
      const none = await place.troupe(['jobs', 'list', '--pipeline', 'NONE']);
      expect([none.code, none.stdout, none.stderr]).to.deep.equal([0, '', 'No job matches.\n']);
      expect(await refusalOf('jobs', 'list', '--status', 'NONE')).to.include(
        'status[0]: must be UNKNOWN, INITIALIZED, ',
      );
    });

    it('are searched for what they found, as a table or as the service tells it', async () => {
      const findJobs = async () =>
        ((await json('search', '--type', 'picture')) as { hits: readonly object[] }).hits;
      const id = await endedJob();
      await until('it is found', findJobs, (hits) => hits.length > 0);
      const lines = (await good('search', '--type', 'picture', '--job', id, '--limit', '1'))
        .trimEnd()
        .split('\n');
      expect(lines[0]).to.match(/^JOB +MEDIUM +WHERE +TYPE +CLASS +TEXT$/);
      expect(lines[1]).to.match(new RegExp(`^${id} .* PICTURE$`));
      const nothing = await place.troupe(['search', 'no such words', '--from', '2020-01-01', '--class', 'x']);
      expect([nothing.code, nothing.stdout, nothing.stderr]).to.deep.equal([0, '', 'Nothing was found.\n']);
      expect(await refusalOf('search', '"*"')).to.include('text: must have a word: letters or digits');
      expect(await good('reindex')).to.include('is being rebuilt');
    });

    it('are searched for similar tracks and near duplicates, or the tool says why not', async () => {
      const id = await endedJob();
      const findHits = async () =>
        (
          (await json('search', '--type', 'picture', '--job', id)) as {
            hits: readonly { mediaId: number; trackId: string }[];
          }
        ).hits;
      const [hit] = await until('it is found', findHits, (hits) => hits.length > 0);
      const like = `${id}/${hit!.mediaId}/${hit!.trackId}`;
      expect(await refusalOf('search', '--like', like)).to.include('has no vector (FEATURE)');
      expect(await refusalOf('search', '--like', 'a-1')).to.include(
        'It must be a file, a URI or JOB/MEDIA/TRACK',
      );
      expect(await good('search', '--duplicates', '--job', id)).to.equal('No pictures look alike.\n');
      expect(await refusalOf('search', '--like', 'media/picture.bmp')).to.include(
        'The search has no vectors. Run a model that makes vectors',
      );
      const shown = {
        ...{ jobId: 'a-1', mediaUri: 'file:///x', mediaType: 'IMAGE', page: null, startOffsetTime: 0 },
        ...{ type: 'CLASS', class: 'car', similarity: 0.9314, distance: 3 },
      };
      const answers = [
        answer(200, { model: 'm', like: null, hits: [shown], searched: 0.5, complete: true }),
        answer(200, { groups: [{ hits: [shown] }], isPart: true, complete: true }),
      ];
      expect(await refusalOf('search', '--like', like, '--like-text', 'car')).to.include('use one of them');
      await withService([answers[0]!], async (url) => {
        const env = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
        const { stdout } = await place.troupe(['search', '--like-text', 'red car', '--type', 'class'], env);
        expect(stdout).to.match(/0\.931 +a-1 +x +CLASS +car/);
      });
      await withService(answers, async (url) => {
        const env = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
        const linesOf = async (...args: readonly string[]) =>
          (await place.troupe(['search', ...args], env)).stdout.trimEnd().replaceAll(/ +/g, ' ').split('\n');
        expect(await linesOf('--like', 'a-1/1/abc')).to.deep.equal([
          'SIMILARITY JOB MEDIUM WHERE TYPE CLASS',
          ' 0.931 a-1 x CLASS car',
          '50 % of the vectors are indexed and were searched.',
        ]);
        expect(await linesOf('--duplicates')).to.deep.equal([
          'JOB MEDIUM DIFFERENT BITS',
          'a-1 x 3',
          'Only the newest pictures were compared.',
        ]);
      });
      const stored = {
        id: 'u-1',
        mediaUri: 'file:///uploads/u-1/x',
        bytes: 1,
        expires: '2030-01-01T00:00:00Z',
      };
      await withService([answer(201, stored), answers[0]!, answer(204, undefined)], async (url, asked) => {
        const env = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
        const { stdout } = await place.troupe(['search', '--like', 'media/picture.bmp'], env);
        expect(stdout).to.match(/0\.931 +a-1 +x +CLASS +car/);
        expect(asked.map((one) => one.split(' ').slice(0, 2).join(' '))).to.deep.equal([
          'POST /rest/media?name=picture.bmp',
          'POST /rest/search/similar',
          'DELETE /rest/media/u-1',
        ]);
      });
    });

    it('are searched for with the time in a video and the slide of a presentation', async () => {
      const hitOf = (mediaType: string, page: object | null) => ({
        ...{ jobId: 'a-1', mediaUri: 'file:///x', mediaType, page, startOffsetTime: 1_500 },
        ...{ type: 'TEXT', class: null, snippet: { text: 'Stop', marks: [] } },
      });
      const slide = { kind: 'SLIDE', number: '3' };
      const face = { ...hitOf('IMAGE', null), type: 'FACE', person: { id: 'p', name: 'Eileen' } };
      const hits = [hitOf('VIDEO', null), hitOf('UNKNOWN', slide), hitOf('IMAGE', null), face];
      await withService([answer(200, { hits, next: null, complete: true })], async (url) => {
        const { stdout } = await place.troupe(['search', 'stop'], { TROUPE_URL: url, TROUPE_TOKEN: 't' });
        const lines = stdout.trimEnd().split('\n').slice(1);
        expect(lines.map((line) => line.replace(/ +/g, ' '))).to.deep.equal([
          'a-1 x 0:00:01.500 TEXT Stop',
          'a-1 x slide 3 TEXT Stop',
          'a-1 x TEXT Stop',
          'a-1 x FACE Eileen Stop',
        ]);
      });
    });

    it('are listed over as many pages as there are', async () => {
      const jobOf = (n: number) => ({
        jobId: `a-${n}`,
        jobStatus: 'ERROR',
        pipelineName: 'P',
        mediaUris: ['data:,x'],
        mediaCount: 3,
      });
      const pages = [
        { jobs: [jobOf(9), jobOf(8)], next: '8' },
        { jobs: [], next: '5' },
        { jobs: [jobOf(4)], next: null },
      ].map((body) => answer(200, body));
      await withService([...pages, ...pages, ...pages.slice(0, 1)], async (url, asked) => {
        const as = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
        const table = await place.troupe(['jobs', 'list', '--all', '--live'], as);
        expect(table.stdout.match(/^(JOB|a-\d)/gm), table.stderr).to.deep.equal(['JOB', 'a-9', 'a-8', 'a-4']);
        expect(table.stdout).to.include('data:… and 2 more');
        const { stdout } = await place.troupe(['jobs', 'list', '--limit', '3', '--json'], as);
        expect(JSON.parse(stdout)).to.deep.equal({ jobs: [9, 8, 4].map(jobOf), next: null });
        const { stderr } = await place.troupe(['jobs', 'list', '--limit', '2'], as);
        expect(stderr).to.equal('There are more: --limit or --all shows them.\n');
        const queries = asked.map((line) => line.split(' ')[1]?.split('?')[1]);
        expect(queries.slice(0, 3)).to.deep.equal(['limit=500&terminal=false', 'limit=500&before=8&terminal=false', 'limit=500&before=5&terminal=false']); // oxfmt-ignore
        expect(queries.slice(3)).to.deep.equal([
          'limit=3',
          'limit=1&before=8',
          'limit=1&before=5',
          'limit=2',
        ]);
      });
    });

    it('are run again with another priority, and counted', async () => {
      const id = await endedJob();
      expect(await good('jobs', 'resubmit', id, '--priority', '9')).to.include(`Job ${id} is accepted`);
      await good('jobs', 'watch', id);
      expect(await json('jobs', 'show', id)).to.include({ jobPriority: 9, jobStatus: 'COMPLETE' });
      expect(await good('jobs', 'stats')).to.match(
        new RegExp(`^PIPELINE +JOBS.*\n${PICTURES} +\\d+ +[\\d.]+ s `),
      );
      expect(await json('jobs', 'stats'))
        .to.have.property('totalJobs')
        .that.is.above(0);
    });

    it('are retried where something failed, and others say why they are not', async () => {
      const late = path.join(place.folder, 'media', 'late.bmp');
      const wanted = JSON.parse(request) as { readonly media: readonly object[] };
      const media = [...wanted.media, { mediaUri: pathToFileURL(late).href }];
      const { jobId: id } = (await json('jobs', 'create', file('late.json', { ...wanted, media }))) as {
        jobId: string;
      };
      expect((await place.troupe(['jobs', 'watch', id])).stdout).to.include('ERROR');
      writeFileSync(late, PICTURE);
      const { code, stdout, stderr } = await place.troupe([
        'jobs',
        'retry',
        await endedJob(),
        id,
        '--failed-media',
      ]);
      expect(code, stderr).to.equal(1);
      expect(stdout).to.match(
        /^1 of 2 jobs was retried\.\n1 job was refused: Nothing of the job failed, .*\(cli-host-\d+\)\n$/,
      );
      await good('jobs', 'watch', id);
      expect(await good('jobs', 'show', id)).to.match(/Runs +1: ALL, ERROR\n +2: FAILED_MEDIA, COMPLETE\n/);
      expect(await refusalOf('jobs', 'retry', id, '--property', 'A=B')).to.match(/nothing to retry/);
    });

    it('continue when Ctrl-C ends their watching; once cancelled, watching ends with exit code 1', async () => {
      await good('services', 'stop', SERVICE);
      const id = await createJob();
      await until('it waits for the stopped service', () => json('jobs', 'show', id), (job) => JSON.stringify(job).includes('"waitingFor"')); // oxfmt-ignore
      const left = place.start(['jobs', 'watch', id]);
      await left.says('stderr', 'waiting: ');
      left.signal('SIGINT');
      const end = await left.ended;
      expect(end.code, end.stderr).to.equal(1);
      expect(end.stderr).to.include(`Job ${id} continues`);
      const watching = place.start(['jobs', 'watch', id]);
      await watching.says('stderr', 'waiting: ');
      expect(await refusalOf('jobs', 'delete', id)).to.match(/has not ended/);
      expect(await good('jobs', 'cancel', id)).to.equal(`Job ${id} is being cancelled.\n`);
      const { code, stdout } = await watching.ended;
      expect([code, stdout.includes('CANCELLED')]).to.deep.equal([1, true]);
      await good('services', 'start', SERVICE);
      expect(await refusalOf('jobs', 'cancel', id)).to.include(`Job ${id} has already been cancelled.`);
      expect(await refusalOf('jobs', 'cancel', '999999')).to.include('no job 999999');
    });

    it('are posted to the archive again, with exit code 1 when one is not', async () => {
      const id = await endedJob();
      expect(await good('jobs', 'repost', id)).to.equal(`Job ${id.split('-').at(-1)} is posted.\n`);
      const { code, stdout, stderr } = await place.troupe(['jobs', 'repost', id, '999999', '--json']);
      expect(code).to.equal(1);
      expect(JSON.parse(stdout)).to.have.nested.property('failures[0].jobId', 999_999);
      expect(stderr).to.equal('Job 999999 is not posted: Could not find job with id 999999.\n');
      expect(await refusalOf('jobs', 'repost', 'x')).to.include('x is not a job id');
    });

    it('that are refused say why in the words of the service', async () => {
      expect(
        await refusalOf('jobs', 'create', file('none.json', request.replace(PICTURES, 'NONE'))),
      ).to.include('NONE');
      expect(await refusalOf('jobs', 'create', file('bad.json', '{bad'))).to.include(
        'The body is not valid JSON',
      );
      expect(await refusalOf('jobs', 'create', 'missing.json')).to.equal('There is no file missing.json.\n');
      expect(await refusalOf('jobs', 'show', 'nothing')).to.include('troupe jobs list shows all');
    });

    it('give what many of them have found in one file, by ids or by a filter', async () => {
      const ids = [await createJob(), await createJob()];
      for (const id of ids) await good('jobs', 'watch', id);
      await good('jobs', 'label', ...ids, '--add', 'both');
      const jobsIn = (text: string) =>
        new Set(
          text
            .split('\n')
            .slice(0, -1)
            .map((line) => (JSON.parse(line) as { jobId: string }).jobId),
        );
      for (const chosen of [ids, ['--label', 'both']])
        expect([...jobsIn(await good('jobs', 'output', ...chosen, '--format', 'ndjson'))]).to.have.members(
          ids,
        );
      const named = await place.troupe(['jobs', 'output', '--label', 'both', '--format', 'csv', '-o']);
      expect([named.code, named.stderr]).to.deep.equal([0, 'Written to troupe-export.csv.\n']);
      expect(await refusalOf('jobs', 'output', '--label', 'both')).to.include('Say in which format');
      expect(await refusalOf('jobs', 'output', '--format', 'csv')).to.include('Say which jobs');
      expect(await refusalOf('jobs', 'output', '--label', 'none', '--format', 'csv')).to.equal(
        'No job of this selection has ended with a document on this server.\n',
      );
      await good('jobs', 'delete', ...ids);
    });

    it('give their document, as it is, to standard output or a file, until they are deleted', async () => {
      const id = await createJob();
      await good('jobs', 'watch', id);
      const text = await good('jobs', 'output', id);
      expect(tracksOf(documentOf(text)).map(({ type }) => type)).to.deep.equal(['PICTURE']);
      expect(await good('jobs', 'output', id, '-o', 'found.json')).to.equal('');
      expect(readFileSync(path.join(place.folder, 'found.json'), 'utf8')).to.equal(text);
      const lines = await good('jobs', 'output', id, '--format', 'ndjson');
      expect(JSON.parse(lines.split('\n')[0]!)).to.include({ jobId: id, type: 'PICTURE' });
      const named = await place.troupe(['jobs', 'output', id.replace(/^.*-/, ''), '--format', 'csv', '-o']);
      expect([named.code, named.stdout, named.stderr]).to.deep.equal([0, '', `Written to ${id}.csv.\n`]);
      expect(readFileSync(path.join(place.folder, `${id}.csv`), 'utf8')).to.match(/^job_id,media_id,/);
      const empty = await place.troupe(['jobs', 'output', id, '--format', 'vtt']);
      expect([empty.code, empty.stderr]).to.deep.equal([
        2,
        'The job has neither sounds nor videos, so cues have no times.\n',
      ]);
      const unknown = await place.troupe(['jobs', 'output', id, '--format', 'xls']);
      expect(unknown.code).to.equal(2);
      for (const known of DOCUMENT_FORMATS) expect(unknown.stderr).to.include(known);
      const parquet = await place.troupe(['jobs', 'output', id, '--format', 'parquet', '-o']);
      expect([parquet.code, parquet.stderr]).to.deep.equal([0, `Written to ${id}.parquet.\n`]);
      const start = readFileSync(path.join(place.folder, `${id}.parquet`)).subarray(0, 4);
      expect(start.toString()).to.equal('PAR1');
      expect(await good('jobs', 'delete', id)).to.equal(`Job ${id} is deleted.\n`);
      for (const verb of ['show', 'output', 'delete', 'watch'])
        expect((await place.troupe(['jobs', verb, id])).stderr, verb).to.include(`There is no job ${id}`);
    });
  });

  describe('pipelines, tasks, actions and algorithms', () => {
    it('are listed and shown, as tables or as the service answers', async () => {
      for (const [many, one] of [
        ['pipelines', 'FACE DETECTION PIPELINE'],
        ['tasks', 'FACE DETECTION TASK'],
        ['actions', 'FACE DETECTION ACTION'],
        ['algorithms', 'FACE'],
      ] as const) {
        // oxfmt-ignore
        expect(await good(many, 'list'), many).to.match(new RegExp(`^NAME .*\n(?:.*\n)*${one} `));
        expect(await good(many, 'show', one.toLowerCase())).to.match(new RegExp(`^\\w+ +${one}$`, 'm'));
        expect(await json(many, 'show', one)).to.include({ name: one });
        expect(await refusalOf(many, 'show', 'a/b %')).to.include(`a/b %: troupe ${many} list shows all.`);
      }
    });

    it('are stored and deleted', async () => {
      const properties = [{ name: 'CONFIDENCE_THRESHOLD', value: '0.9' }];
      const elements = {
        actions: { name: 'MY ACTION', description: 'd', algorithm: 'FACE', properties },
        tasks: { name: 'MY TASK', description: 'd', actions: ['MY ACTION'] },
        pipelines: { name: 'MY PIPELINE', description: 'd', tasks: ['MY TASK'] },
      };
      for (const [many, element] of Object.entries(elements)) {
        await good(many, 'create', file('element.json', element));
        expect(await json(many, 'show', element.name)).to.deep.include(element);
      }
      expect(await good('actions', 'show', 'MY ACTION')).to.match(/^Properties +CONFIDENCE_THRESHOLD=0\.9$/m);
      expect(await refusalOf('pipelines', 'create', file('bad.json', { name: 'X' }))).to.include(
        'tasks: must not be null',
      );
      for (const [many, { name }] of Object.entries(elements).toReversed()) {
        await good(many, 'delete', name);
        expect(await refusalOf(many, 'show', name)).to.include(`There is no `);
      }
    });
  });

  it('components are listed, registered and deleted', async () => {
    expect(await good('components', 'list')).to.match(/^TroupeFaceDetection +\S+ +FACE +the service$/m);
    expect(await refusalOf('components', 'delete', 'TroupeFaceDetection')).to.include('managed');
    expect(await refusalOf('components', 'delete', 'None')).to.include('None');
    expect(await refusalOf('components', 'register', file('bad.json', '{}'))).to.include('componentName');
    const descriptor = readFileSync(
      path.resolve('test/fixtures/descriptors', 'PythonTestComponent.json'),
      'utf8',
    );
    // One of its pipelines uses a task of the reference system that does not exist here.
    expect(await good('components', 'register', file('component.json', descriptor)))
      .to.match(/^New component registered\.\n/)
      .and.to.include('OCV GENERIC MARKUP TASK');
    const name = (JSON.parse(descriptor) as { componentName: string }).componentName;
    expect(await good('components', 'list')).to.include(name);
    expect(await good('components', 'delete', name)).to.equal(`Component ${name} is removed.\n`);
  });

  it('nodes are configured by what "config --json" has shown, and services stopped and started', async () => {
    expect(await good('nodes', 'hosts')).to.match(new RegExp(`^${HOST} +connected$`, 'm'));
    expect(await good('services', 'list')).to.match(/^TroupeFaceDetection /m);
    expect(await good('nodes', 'config')).to.match(new RegExp(`^${HOST} +TroupeFaceDetection +1 `, 'm'));
    const [node] = (await json('nodes', 'config')) as { host: string; services: { serviceName: string }[] }[];
    const fewer = {
      ...node!,
      services: node!.services.filter(({ serviceName }) => serviceName !== 'TroupeImageProperties'),
    };
    expect(await good('nodes', 'apply', file('nodes.json', [fewer]))).to.include(
      'The configuration is saved',
    );
    expect(await good('nodes', 'config')).to.not.include('TroupeImageProperties');
    const twice = await place.troupe(['nodes', 'apply', file('nodes.json', [node, node])]);
    expect([twice.code, twice.stderr.startsWith('Warning: ')], twice.stderr).to.deep.equal([0, true]);
    await good('services', 'stop', SERVICE);
    await until('it is stopped', () => good('nodes', 'info'), (text) => new RegExp(`^${SERVICE} +InactiveNoStart`, 'm').test(text)); // oxfmt-ignore
    expect(await good('services', 'start', SERVICE)).to.equal(`Service ${SERVICE} is starting.\n`);
    await until('it has said something', () => good('nodes', 'logs', SERVICE), (text) => text.includes('The process was started')); // oxfmt-ignore
    expect(await refusalOf('nodes', 'logs', `${HOST}:None:1`)).to.include('There is no service "');
    expect(await refusalOf('services', 'start', 'none')).to.include('No connected node has this service');
    expect(await refusalOf('nodes', 'apply', file('bad.json', [{}]))).to.include('[0].host');
  });

  it('actors are shown, services below the manager of their node', async () => {
    const lines = (await good('actors')).split('\n');
    const manager = lines.findIndex((line) => line.startsWith(`node-manager/${HOST} `));
    expect(lines[manager + 1], lines.join('\n')).to.match(new RegExp(`^ {2}service/${HOST}:\\w+:1 `));
    const { actors } = (await json('actors', '--kind', 'catalog')) as { actors: { name: string }[] };
    expect(actors.map(({ name }) => name)).to.deep.equal(['catalog/catalog']);
    expect(await refusalOf('actors', '--kind', 'x')).to.include('there are: admission');
  });

  it('models are listed by the names that jobs know them by', async () => {
    expect(await good('models', 'list')).to.match(/^No model is in the folders of MODEL_ROOTS/);
    mkdirSync(path.join(place.dataDir, 'models', 'deep'), { recursive: true });
    writeFileSync(path.join(place.dataDir, 'models', 'deep', 'pets.onnx'), yoloModel());
    const bytes = yoloModel().length;
    expect(await good('models', 'list')).to.match(
      new RegExp(`^deep/pets\\.onnx +ONNX +${bytes} +\\d{4}-`, 'm'),
    );
    expect(await json('models', 'list')).to.deep.include({ more: false });
  });

  it('a model is checked without a service: how it would be used, or why it cannot be', async () => {
    const file = path.join(place.folder, 'pets.onnx');
    writeFileSync(file, yoloModel());
    const told = await good('models', 'check', 'pets.onnx');
    for (const line of [
      /^Type +YOLO: \[1, 4 \+ classes, boxes\]$/m,
      /^Input +images: 32 x 32 pixels, 3 channel\(s\), NCHW, float32$/m,
      /^Pictures +1 at a time$/m,
      /^Outputs +output0 \[1, 6, 2\] of float32$/m,
      /^Preparation +RGB, LETTERBOX, \(pixel \* 0\.003922 - 0\) \/ 1$/m,
      /^Classes +2: cat; dog$/m,
    ])
      expect(told).to.match(line);
    expect(await good('models', 'check', file, '--property', 'INPUT_RESIZE=STRETCH')).to.include('STRETCH');
    writeFileSync(file, 'a text');
    expect(await refusalOf('models', 'check', 'pets.onnx')).to.match(
      /^The file pets\.onnx is not an ONNX model: /,
    );
    await writeWhisperModel(path.join(place.folder, 'ggml-base.bin'), { words: ['word'], language: 2 });
    expect(await good('models', 'check', 'ggml-base.bin')).to.match(
      /^Type +WHISPER: .*\nLanguages +en .*\bde\b/m,
    );
    expect(await refusalOf('models', 'check', 'none.onnx')).to.match(/^There is no file none\.onnx\.$/m);
  });

  it('deliveries are listed, shown and repeated', async () => {
    const receiver = await Receiver.start(answerWith(404, 'who are you'));
    const callback = { callbackURL: `${receiver.url}/done` };
    const job = file('called.json', JSON.stringify({ ...(JSON.parse(request) as object), ...callback }));
    const { jobId } = (await json('jobs', 'create', job)) as { jobId: string };
    const id = `${jobId}_1_callback`;
    const list = () => good('deliveries', 'list', '--job', jobId, '--state', 'failed');
    await until('it has failed', list, (text) => text.includes(id));
    expect(await list()).to.match(new RegExp(`^${id} +FAILED .* 1 +http://127\\.0\\.0\\.1`, 'm'));
    expect(await good('deliveries', 'show', id)).to.match(/^Attempts .* 404 +the receiver answered/m);
    receiver.manner = answerWith(200);
    expect(await good('deliveries', 'redeliver', id)).to.contain(`The callback is sent to ${receiver.url}`);
    const delivered = () => json('deliveries', 'show', id) as Promise<{ state: string }>;
    await until('it has arrived', delivered, ({ state }) => state === 'DELIVERED');
    await receiver.close();
    expect(await refusalOf('deliveries', 'show', 'x')).to.equal(
      'There is no delivery x. troupe deliveries list shows all.\n',
    );
  });

  it('queues are listed and shown', async () => {
    expect(await good('queues', 'list')).to.match(/^TROUPE\.DETECTION_SCENE CHANGE_REQUEST +0$/m);
    expect(await json('queues', 'show', 'TROUPE.DETECTION_SCENE CHANGE_REQUEST')).to.include({
      messagesInQueue: 0,
    });
    expect(await refusalOf('queues', 'show', 'x')).to.equal(
      'There is no queue x: troupe queues list shows all.\n',
    );
  });

  it('messages are posted, listed by type, and deleted', async () => {
    const text = 'It is "late": ü\u001b[31m';
    await good(
      'messages',
      'post',
      text,
      '--type',
      'admin',
      '--severity',
      'error',
      '--remove-strategy',
      'atServerStartup',
    );
    const [message] = (await json('messages', 'list', '--type', 'admin')) as { id: number; msg: string }[];
    expect(message).to.include({ msg: text, severity: 'error', removeStrategy: 'atServerStartup' });
    expect(await good('messages', 'list')).to.include('It is "late": ü [31m');
    expect(await good('messages', 'list', '--type', 'login')).to.equal('There are no messages.\n');
    await good('messages', 'delete', String(message!.id));
    expect(await json('messages', 'list')).to.deep.equal([]);
    expect(await refusalOf('messages', 'delete', 'x')).to.include('whole number');
  });

  it('media are uploaded and deleted, and jobs use them', async () => {
    writeFileSync(path.join(place.folder, 'http:x.png'), PICTURE);
    const medium = (await json('media', 'upload', 'http:x.png')) as { id: string; mediaUri: string };
    const job = { media: [{ mediaUri: medium.mediaUri }], pipelineName: PICTURES };
    const { jobId } = (await json('jobs', 'create', file('uploaded.json', job))) as { jobId: string };
    await good('jobs', 'watch', jobId);
    expect(tracksOf(documentOf(await good('jobs', 'output', jobId)))).to.have.length(1);
    expect(await good('media', 'delete', medium.id)).to.equal(`Medium ${medium.id} is deleted.\n`);
    expect(await refusalOf('media', 'delete', medium.id)).to.include('has no uploaded medium');
    expect(await refusalOf('media', 'upload', 'none.png')).to.include('There is no file');
  });

  it('info tells the version', async () => {
    expect(await good('info')).to.match(/^Version +\d+\.\d+\.\d+$/m);
    expect(await json('info')).to.include({ app: 'Troupe' });
  });

  it('says how a service must be started that reads other folders', async () => {
    const roots = answer(400, {
      coreResponse: { responseCode: 1, message: 'Add its folder to the setting MEDIA_ROOTS.' },
      code: 'media-outside-roots',
    });
    const usable = answer(200, { media: [{ usable: true }] });
    const answers = [usable, roots];
    await withService(answers, async (url, asked) => {
      const as = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
      const job = ['analyze', 'media/picture.bmp', '--pipeline', PICTURES];
      const { code, stdout, stderr } = await place.troupe(job, as);
      expect([code, stdout], stderr).to.deep.equal([2, '']);
      expect(stderr).to.include('Add its folder to the setting MEDIA_ROOTS.');
      expect(stderr).to.match(/Start it with MEDIA_ROOTS=\S+media, or stop it/);
      expect(asked.map((line) => line.split(/[ ?]/)[1])).to.deep.equal(['/rest/media/check', '/rest/jobs']);
    });
  });

  it('says that something else answers where no service is, or one of another shape', async () => {
    const html: Handler = (_request, response) => response.writeHead(200).end('<html>');
    await withService([html, answer(200, { jobs: 1 }), answer(200, { pipelines: [] })], async (url) => {
      const as = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
      for (const [args, words] of [
        [['info'], 'is not a Troupe service'],
        [['jobs', 'list'], 'did not return a list of jobs'],
        [['pipelines', 'list'], 'returned an unexpected answer'],
      ] as const) {
        const { code, stdout, stderr } = await place.troupe(args, as);
        expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
        expect(stderr)
          .to.include(words)
          .and.to.match(/^[^\n]+\n$/);
      }
    });
  });

  it('lists the browsers that are logged in, and tells of a session that there is not', async () => {
    expect(await good('sessions', 'list', '--all')).to.equal('No browser is logged in.\n');
    const id = '0'.repeat(32);
    expect(await refusalOf('sessions', 'revoke', id)).to.include(id);
  });

  it('creates, lists and revokes an API key, which the tool takes as its token', async () => {
    const key = (await good('keys', 'create', 'nightly', '--days', '3')).trim();
    expect(key).to.match(/^troupe_\S+$/);
    const as = { TROUPE_URL: server.url, TROUPE_TOKEN: key };
    expect((await place.troupe(['jobs', 'list'], as)).code).to.equal(0);
    const { keys } = (await json('keys', 'list')) as { keys: readonly { id: string; name: string }[] };
    expect(keys.map(({ name }) => name)).to.deep.equal(['nightly']);
    expect(await good('keys', 'list', '--all')).to.match(/^ID .*\n\w{16} +nightly +USER +troupe-cli /);
    expect(await good('keys', 'revoke', keys[0]!.id)).to.equal(`The API key ${keys[0]!.id} was revoked.\n`);
    expect((await place.troupe(['jobs', 'list'], as)).code).to.equal(2);
    expect(await good('keys', 'list')).to.equal('There are no API keys.\n');
    expect(await refusalOf('keys', 'create', 'x', '--days', '400')).to.include('days');
  });

  it('shows who has used how much', async () => {
    await good('jobs', 'watch', await createJob());
    const lines = (await good('usage', '--by', 'pipeline')).split('\n');
    expect(lines[0]).to.match(/^NAME +JOBS +MEDIA +MB +PROCESSING +CPU$/);
    expect(lines[1]).to.match(
      /^IMAGE PROPERTIES DETECTION PIPELINE +\d+ +\d+ +\d+\.\d +\d+\.\d s +\d+\.\d s$/,
    );
    expect(await good('usage', '--from', '2020-01-01', '--to', '2020-01-31')).to.equal(
      'Nothing was processed in these days.\n',
    );
  });

  it('tells who is no ADMIN, in the words of the service, what is forbidden, and shows the rest', async () => {
    const as = { TROUPE_TOKEN: await ownToken(server.url, place.dataDir, 'user') };
    const stop = await place.troupe(['services', 'stop', 'x:y:1'], as);
    expect([stop.code, stop.stdout]).to.deep.equal([2, '']);
    expect(stop.stderr).to.include('needs the role ADMIN');
    const post = await place.troupe(['messages', 'post', 'x'], as);
    expect(post.stderr).to.equal('Only admins can add system messages.\n');
    expect((await place.troupe(['nodes', 'info'], as)).code).to.equal(0);
  });

  it('says what to do when no service is found, and when arguments are wrong', async () => {
    const nowhere = await place.troupe(['jobs', 'list'], { DATA_DIR: path.join(place.folder, 'none') });
    expect([nowhere.code, nowhere.stdout]).to.deep.equal([2, '']);
    expect(nowhere.stderr).to.match(/^No service runs in .*none: start one .*--url or TROUPE_URL\.\n$/);
    for (const args of [
      ['jobs'],
      ['jobs', 'nothing'],
      ['jobs', 'show'],
      ['jobs', 'list', '--limit', '0'],
      ['messages', 'post', 'x', '--severity', 'bad'],
    ])
      // oxfmt-ignore
      expect((await place.troupe(args)).code, args.join(' ')).to.equal(2);
  });
});

interface Page {
  readonly jobs: readonly { readonly jobId: string }[];
  readonly next: string | null;
}

function checkOutcome(args: readonly string[], { code, stdout, stderr }: Outcome): string {
  expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0);
  return stdout;
}
