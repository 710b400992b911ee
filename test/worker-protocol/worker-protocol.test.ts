/** The worker protocol over plain HTTP, without the SDK. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { errorMembers } from '../../http/routing/errors.ts';
import type { ClaimAnswer } from '../../protocol/worker-messages.ts';
import type { Assignment } from '../../protocol/worker-protocol.ts';
import { packageRoot } from '../../config/info.ts';
import { POLL_MS, RawComponent, trackNamed, type Detect } from '../support/processes/raw-component.ts';
import { errorCodes, sampleUri, Service, tracksOf, type LogLine } from '../support/processes/service.ts';
import { story } from '../support/story.ts';
import { until } from '../support/until.ts';

const PICTURE = sampleUri('hello-world.png');
const ABSENT = { media: [PICTURE], pipelineName: 'ABSENT PIPELINE' };

/** The tests alone serve the queue ABSENT, because its component process never claims work. */
const trackAt = (frame: number) => {
  const { detections, ...plain } = trackNamed('elsewhere');
  const times = { startFrame: frame, stopFrame: frame };
  return { ...plain, ...times, detections: detections.map((detection) => ({ ...detection, frame })) };
};

describe('A component that speaks the worker protocol', () => {
  let service: Service;
  let component: RawComponent;
  const jobs: string[] = [];
  before(async () => {
    service = await Service.openShared();
    component = new RawComponent(service);
  });
  // Cancels the jobs of a failed test, so that the next test does not get their work.
  afterEach(async () => {
    for (const id of jobs.splice(0)) {
      await service.cancel(id);
      await service.terminal(id);
    }
  });
  after(() => service.close());

  const submit = async (extra: object = {}): Promise<string> => {
    const id = await service.submit({ ...ABSENT, ...extra });
    jobs.push(id);
    return id;
  };
  const labels = async (id: string) => {
    await service.terminal(id);
    const [medium] = (await service.document(id)).media;
    return tracksOf(medium, 'ABSENT').map(({ trackProperties }) => trackProperties['LABEL']);
  };
  const claimWork = async (extra: object = {}): Promise<{ id: string; work: Detect }> => {
    const id = await submit(extra);
    return { id, work: await component.claimOf(id, 'ABSENT') };
  };
  /** Claims this sub-job again. Others of its job that come first are released. */
  const claimedAgain = async (job: string, subJob: string): Promise<Detect> => {
    const work = await component.claimOf(job, 'ABSENT');
    if (work.id === subJob) return work;
    const again = await claimedAgain(job, subJob);
    await component.release(work.token);
    return again;
  };
  const countQueued = async () => {
    const { body } = await service.ask('GET', '/rest/queues/TROUPE.DETECTION_ABSENT_REQUEST');
    return (body as { messagesInQueue: number }).messagesInQueue;
  };

  it('claims a sub-job with all that it needs, and streams its tracks into the document', async () => {
    const { id, work: assignment } = await claimWork({ jobProperties: { CONFIDENCE_THRESHOLD: '0.3' } });
    const { token, work, ...rest } = assignment;
    expect(token)
      .to.be.a('string')
      .and.match(/^[\w-]+$/);
    expect(rest).to.deep.equal({
      id: `${id}.1.0.0.0.0`,
      kind: 'DETECT',
      algorithm: 'ABSENT',
      attempt: 1,
      heartbeatMs: 200,
    });
    const { medium, properties, ...what } = work;
    expect(what).to.deep.equal({ trackType: 'ABSENT', range: { start: 0, stop: -1 }, contextFrames: 0 });
    expect(properties).to.include({ CONFIDENCE_THRESHOLD: '0.3', QUALITY_SELECTION_PROPERTY: 'CONFIDENCE' });
    expect(medium).to.include({ mediaType: 'IMAGE', mimeType: 'image/png', length: 1 });
    expect(readFileSync(medium.path)).to.deep.equal(
      readFileSync(join(packageRoot, 'samples', 'hello-world.png')),
    );

    const { status, body } = await component.result(token, [trackNamed('a'), trackNamed('b')]);
    expect([status, body]).to.deep.equal([200, {}]);
    expect(await labels(id)).to.have.members(['a', 'b']);
  });

  it('may answer that it found nothing', async () => {
    const { id, work } = await claimWork();
    expect((await component.result(work.token, [])).status).to.equal(200);
    expect(await labels(id)).to.deep.equal([]);
    expect((await service.job(id))?.jobStatus).to.equal('COMPLETE');
  });

  it('may warn of what it could not analyse: the job says so at once, the document per medium', async () => {
    const { id, work } = await claimWork({ media: [PICTURE, sampleUri('digital-clock.jpg')] });
    const other = await component.claimOf(id, 'ABSENT');
    const lines = [JSON.stringify({ warning: 'The left half is too dark.' }), trackNamed('a')];
    expect((await component.result(work.token, lines)).status).to.equal(200);
    expect((await service.job(id))?.jobStatus).to.equal('IN_PROGRESS_WARNINGS');
    expect((await component.result(other.token, [])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
    const { warnings } = await service.document(id);
    expect(warnings).to.deep.equal([
      {
        mediaId: work.work.medium.mediaId,
        details: [{ source: 'ABSENT', code: 'OTHER', message: 'The left half is too dark.' }],
      },
    ]);
  });

  it('shows progress by its heartbeats, and is told to go on', async () => {
    const { id, work } = await claimWork();
    expect((await service.job(id))?.jobProgress).to.equal(0);
    const { status, body } = await component.heartbeat(work.token, 30, 100);
    expect([status, body]).to.deep.equal([200, { go: 'on' }]);
    expect((await service.job(id))?.jobProgress).to.equal(30);
    await component.heartbeat(work.token, 20, 100);
    expect((await service.job(id))?.jobProgress, 'progress never falls').to.equal(30);
    await component.result(work.token, []);
    await service.terminal(id);
  });

  it('hears by a heartbeat that its sub-job was cancelled, and the job ends when it lets go', async () => {
    const { id, work } = await claimWork();
    await service.cancel(id);
    expect((await component.heartbeat(work.token)).body).to.deep.equal({ go: 'cancelled' });
    expect((await service.job(id))?.jobStatus).to.equal('CANCELLING');
    expect((await component.release(work.token)).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
    expect((await component.result(work.token, [trackNamed('late')])).status, 'a late result').to.equal(409);
    expect(await labels(id)).to.deep.equal([]);
  });

  it('fails a sub-job with a detection error code, which is on the medium and is not retried', async () => {
    const { id, work } = await claimWork({ media: [PICTURE, sampleUri('digital-clock.jpg')] });
    const other = await component.claimOf(id, 'ABSENT');
    const [bad, good] = work.id.endsWith('.0.0') ? [work, other] : [other, work];
    expect((await component.failure(bad.token, 'MISSING_PROPERTY', 'It needs a property.')).status).to.equal(
      200,
    );
    expect((await component.result(good.token, [trackNamed('good')])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    const document = await service.document(id);
    const [first, second] = document.media;
    expect(first?.detectionProcessingErrors['ABSENT ACTION']?.[0]).to.include({
      code: 'MISSING_PROPERTY',
      message: 'It needs a property.',
    });
    expect(errorCodes(document, first?.mediaId)).to.deep.equal(['MISSING_PROPERTY']);
    expect([second?.status, tracksOf(second, 'ABSENT').length]).to.deep.equal(['COMPLETE', 1]);
    expect(service.handedOut().filter(({ subJob }) => subJob === bad.id)).to.have.length(1);
  });

  it('gets its next sub-job with the answer to a result, if it asks for it and there is one', async () => {
    const { id, work } = await claimWork({ media: [PICTURE, sampleUri('digital-clock.jpg')] });
    const resultOf = (token: string) =>
      component.say(`/leases/${token}/result?claim=OTHER,absent`, trackNamed('found'));
    const { status, body } = await resultOf(work.token);
    const [next] = (body as ClaimAnswer).work;
    expect([status, next?.kind, next?.attempt]).to.deep.equal([200, 'DETECT', 1]);
    expect(next!.id.startsWith(`${id}.`) && next!.id !== work.id, next!.id).to.equal(true);
    expect((await resultOf(next!.token)).body).to.deep.equal({ work: [] });
    await service.terminal(id);
  });

  it('that dies after its result and its request for more holds nothing: others get it at once', async () => {
    const { id, work } = await claimWork({ media: [PICTURE, sampleUri('digital-clock.jpg')] });
    const gone = new AbortController();
    const found = trackNamed('found');
    const track = { ...found, properties: { ...found.properties, NOTE: 'x'.repeat(50_000) } };
    // Checking this many tracks takes the server some time.
    const body = `${JSON.stringify(track)}\n`.repeat(200);
    const sent = component
      .post(`/leases/${work.token}/result?claim=ABSENT`, body, gone.signal, { 'x-request-id': 'died' })
      .catch(() => 'hung up');
    const files = () => service.files(join('spool', `${id}.1`));
    const isWhole = (name: string) => name.includes(`.${work.token}.`) && name.endsWith('.ndjson');
    await until('all of the result has arrived', files, (names) => names.some(isWhole), { everyMs: 1 });
    gone.abort();
    expect(await sent).to.equal('hung up');
    await service.waitForLog('request', ({ requestId }) => requestId === 'died');
    const [next] = await component.claim('ABSENT', { waitMs: 5_000 });
    expect(next?.id.startsWith(`${id}.`), 'another one gets it').to.equal(true);
    expect([next!.id === work.id, next!.attempt]).to.deep.equal([false, 1]);
    expect((await service.job(id))?.jobProgress, 'what it has sent counts').to.equal(50);
    await component.release(next!.token);
  });

  it('has a repeated result answered as the first, and it counts once', async () => {
    const { id, work } = await claimWork();
    for (let time = 0; time < 3; time++) {
      const { status, body } = await component.result(work.token, [trackNamed('once')]);
      expect([status, body]).to.deep.equal([200, {}]);
    }
    expect(await labels(id)).to.deep.equal(['once']);
    const afterTheEnd = await component.result(work.token, [trackNamed('once')]);
    expect([afterTheEnd.status, afterTheEnd.body]).to.deep.equal([200, {}]);
    expect(await labels(id)).to.deep.equal(['once']);
  });

  it('has another answer than the first one refused with 409, and the first one stays', async () => {
    const { id, work } = await claimWork();
    expect((await component.result(work.token, [trackNamed('first')])).status).to.equal(200);
    const lines = `${JSON.stringify(trackNamed('third'))}\n`;
    const [result, failed, several] = [
      await component.result(work.token, [trackNamed('second')]),
      await component.failure(work.token, 'OTHER', 'It failed after all.'),
      await component.say('/answers', { answers: [{ token: work.token, ms: 1, lines }], max: 0 }),
    ];
    const message =
      'The lease was answered before with another answer, which stays. Repeat an answer as it was, or claim more work.';
    for (const { status, body } of [result, failed])
      expect([status, body]).to.deep.equal([
        409,
        errorMembers('already-answered', message, `${service.url}/docs`),
      ]);
    expect(several.body).to.deep.equal({ refused: [message], work: [] });
    expect((await component.result(work.token, [trackNamed('first')])).status).to.equal(200);
    expect(await labels(id)).to.deep.equal(['first']);
  });

  it('has a repeated failure answered as the first, and a result after it refused', async () => {
    const { id, work } = await claimWork();
    const failure = () => component.failure(work.token, 'COULD_NOT_READ_MEDIA', 'It is no picture.');
    for (let time = 0; time < 2; time++) expect((await failure()).status).to.equal(200);
    expect((await component.result(work.token, [trackNamed('late')])).status).to.equal(409);
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
  });

  // For all checks of a track, see test/results/check/check.test.ts.
  it('has a result that is none refused with 422 and the reason, and counted as an attempt', async () => {
    const wrongs = {
      'another frame than the one of a picture': [JSON.stringify(trackAt(7))],
      'a good track before a bad one': [trackNamed('good'), '[]'],
    };
    const id = await submit({ media: Object.keys(wrongs).map(() => PICTURE) });
    for (const [what, lines] of Object.entries(wrongs)) {
      const work = await component.claimOf(id, 'ABSENT');
      const { status, body } = await component.result(work.token, lines);
      expect(status, what).to.equal(422);
      expect((body as { message: string }).message, what).to.match(/^Track [12] /);
      expect((await component.result(work.token, [])).status, `${what}: the lease has ended`).to.equal(409);
      const again = await claimedAgain(id, work.id);
      expect(again.attempt, what).to.equal(2);
      await component.result(again.token, [trackNamed(what)]);
    }
    await service.terminal(id);
    const { media } = await service.document(id);
    const found = media.map((medium) =>
      tracksOf(medium, 'ABSENT').map(({ trackProperties }) => trackProperties['LABEL']),
    );
    expect(found).to.have.deep.members(Object.keys(wrongs).map((what) => [what]));
  });

  it('has a result with frames that it was not given refused with 422 and the reason', async () => {
    const { work } = await claimWork({ media: [sampleUri('face_move.mp4')] });
    const { start, stop } = work.work.range;
    const frame = stop + 1;
    const { status, body } = await component.result(work.token, [trackAt(frame)]);
    const message = `Track 1 covers frames ${frame} to ${frame}, outside of ${start} to ${stop}`;
    expect([status, (body as { message: string }).message.startsWith(message)]).to.deep.equal([422, true]);
  });

  it('keeps its lease when its result breaks off, and sends it again', async () => {
    const { id, work } = await claimWork();
    const stop = new AbortController();
    const body = new PassThrough();
    const sent = component.post(`/leases/${work.token}/result`, body, stop.signal, {
      'x-request-id': 'broken-off',
    });
    const outcome = sent.then(
      () => 'answered',
      () => 'broken off',
    );
    body.write(`${JSON.stringify(trackNamed('half'))}\n`);
    const parts = async () =>
      (await service.files(join('spool', `${id}.1`))).filter((name) => name.endsWith('.part'));
    await until('the server writes what came', parts, (names) => names.length === 1);
    stop.abort();
    expect(await outcome).to.equal('broken off');
    await until('the server has dropped what came', parts, (names) => names.length === 0);
    expect((await component.heartbeat(work.token)).body).to.deep.equal({ go: 'on' });
    expect((await component.result(work.token, [trackNamed('whole')])).status).to.equal(200);
    expect(await labels(id)).to.deep.equal(['whole']);
    expect(service.handedOut().filter(({ subJob }) => subJob === work.id)).to.have.length(1);
  });

  it('gives work back uncounted', async () => {
    const { id, work } = await claimWork();
    expect((await component.release(work.token)).status).to.equal(200);
    const again = await component.claimOf(id, 'ABSENT');
    expect([again.id, again.attempt, again.token === work.token]).to.deep.equal([work.id, 1, false]);
    expect((await component.release(work.token)).status, 'the old token').to.equal(409);
    await component.result(again.token, []);
    await service.terminal(id);
  });

  it('gets as many sub-jobs at once as it asks for, those of higher priority first', async () => {
    const low = await submit({ media: [PICTURE, PICTURE], priority: 0 });
    const high = await submit({ priority: 9 });
    await until('all of them wait', countQueued, (length) => length === 3);
    const two = await component.claim('ABSENT', { max: 2 });
    expect(two.map(({ id }) => id)).to.deep.equal([`${high}.1.0.0.0.0`, `${low}.1.0.0.0.0`]);
    const rest = await component.claim('ABSENT', { max: 64 });
    expect(rest.map(({ id }) => id)).to.deep.equal([`${low}.1.0.0.1.0`]);
    for (const { token } of [...two, ...rest])
      expect((await component.result(token, [])).status).to.equal(200);
    for (const id of [low, high]) await service.terminal(id);
  });

  describe('and waits for work by a long poll', () => {
    it('gets it as soon as it arrives', async () => {
      const hungUp = new AbortController();
      // No work comes for this claim, so it ends at its timeout.
      const inVain = component.say('/claim', { algorithms: ['BROKEN'], waitMs: POLL_MS }, hungUp.signal);
      const itsEnd = inVain.then(
        () => [],
        () => [],
      );
      const poll = component.claim('ABSENT', { waitMs: POLL_MS });
      const id = await submit();
      const [work] = await Promise.race([poll, itsEnd]);
      hungUp.abort();
      expect(work?.id).to.equal(`${id}.1.0.0.0.0`);
      await component.result(work!.token, []);
      await service.terminal(id);
    });

    it('gets an empty answer when nothing came until its limit', async () => {
      expect(await component.claim('ABSENT', { waitMs: 50 })).to.deep.equal([]);
      expect(await component.claim('ABSENT', { waitMs: 0 })).to.deep.equal([]);
    });

    it('and hung up before work came: the next one gets it, uncounted', async () => {
      const gone = new AbortController();
      const poll = component.say('/claim', { algorithms: ['ABSENT'], waitMs: POLL_MS }, gone.signal, {
        'x-request-id': 'gone',
      });
      const outcome = poll.then(
        () => 'answered',
        () => 'hung up',
      );
      // The answer to this claim proves that the first one has arrived.
      await component.claim('ABSENT', { waitMs: 0 });
      gone.abort();
      expect(await outcome).to.equal('hung up');
      await service.waitForLog('request', ({ requestId }) => requestId === 'gone');
      const { id, work } = await claimWork();
      expect(work.attempt).to.equal(1);
      expect(service.handedOut().filter(({ subJob }) => subJob === work.id)).to.have.length(1);
      await component.result(work.token, []);
      await service.terminal(id);
    });
  });

  describe('is refused', () => {
    it('with 409 for a token that was never given', async () => {
      for (const [path, message] of [
        ['heartbeat', { done: 1 }],
        ['failure', { code: 'DETECTION_FAILED', message: 'x' }],
        ['release', {}],
        ['result', {}],
      ] as const)
        for (const token of ['1-999999', 'nonsense', '0-1']) {
          const { status, body } = await component.say(`/leases/${token}/${path}`, message);
          expect([path, token, status]).to.deep.equal([path, token, 409]);
          expect((body as { message: string }).message).to.include('The lease is lost');
        }
    });

    it('with 401 without a token or with a wrong one', async () => {
      for (const token of ['', 'nonsense', `${service.token}x`]) {
        const stranger = new RawComponent(service, token);
        for (const path of ['/claim', '/leases/1-1/heartbeat', '/leases/1-1/result']) {
          const { status, text } = await stranger.say(path, { algorithms: ['ABSENT'] });
          expect([path, status]).to.deep.equal([path, 401]);
          expect(text).to.include('"code":"unauthorized"');
        }
      }
    });

    it('with 400 for a message that is none of the protocol', async () => {
      for (const message of [
        {},
        { algorithms: [] },
        { algorithms: 'ABSENT' },
        { algorithms: ['ABSENT'], max: 65 },
        { algorithms: ['ABSENT'], max: 0 },
        { algorithms: ['ABSENT'], waitMs: 25_001 },
        { algorithms: ['ABSENT'], waitMs: -1 },
      ]) {
        const { status, body } = await component.say('/claim', message);
        expect([JSON.stringify(message), status]).to.deep.equal([JSON.stringify(message), 400]);
        expect((body as { message: string }).message).to.match(/^(algorithms|max|waitMs)/);
      }
      const { id, work } = await claimWork();
      expect((await component.failure(work.token, 'NO_SUCH_CODE', 'x')).status).to.equal(400);
      expect((await component.post(`/leases/${work.token}/heartbeat`, '{')).status).to.equal(400);
      expect((await component.heartbeat(work.token)).status, 'its lease goes on').to.equal(200);
      await component.result(work.token, []);
      await service.terminal(id);
    });

    it('with 403 if the service started it for another algorithm, and may not answer for others', async () => {
      const file = join(service.folder, 'token');
      const tell = { TROUBLE: 'tell-token', TROUBLE_FILE: file };
      await service.run({ media: [PICTURE], pipelineName: 'TROUBLE PIPELINE', jobProperties: tell });
      const token = readFileSync(file, 'utf8').replace('Bearer ', '');
      const managed = new RawComponent(service, token);
      for (const algorithm of ['ABSENT', 'LIGHT', 'MEDIA_INSPECTION']) {
        const { status } = await managed.say('/claim', { algorithms: [algorithm] });
        expect([algorithm, status]).to.deep.equal([algorithm, 403]);
      }
      expect((await managed.say('/claim', { algorithms: ['TROUBLE'] })).status).to.equal(200);
      const { id, work } = await claimWork();
      expect((await managed.heartbeat(work.token)).status).to.equal(409);
      expect((await managed.result(work.token, [trackNamed('forged')])).status).to.equal(409);
      expect((await managed.failure(work.token, 'DETECTION_FAILED', 'forged')).status).to.equal(409);
      expect(
        (await service.ask('GET', '/rest/info', undefined, { authorization: `Bearer ${token}` })).status,
        'on /rest',
      ).to.equal(401);
      await component.result(work.token, [trackNamed('true')]);
      expect(await labels(id)).to.deep.equal(['true']);
    });
  });
});

story('A lease', 'One is held through all, and the last kills the media component.', () => {
  let service: Service;
  let component: RawComponent;
  let kept: { readonly id: string; readonly work: Assignment; readonly longEnough: Promise<void> };
  /** Set when its test begins. Until then the lease is kept. */
  let isWanted = false;
  before(async () => {
    service = await Service.here({
      ...{ LEASE_MS: '3000', SILENCE_MS: '6000', SUB_JOB_ATTEMPTS: '2', DRAIN_MS: '15000' },
      // The last test kills the built-in media component, which must not restart.
      RESTART_DELAY_MS: '600000',
    });
    component = new RawComponent(service);
    const id = await service.submit(ABSENT);
    const work = await component.claimOf(id, 'ABSENT');
    kept = { id, work, longEnough: keepUp(work) };
    // A rejection is handled where this promise is awaited.
    kept.longEnough.catch(() => undefined);
  });
  after(async () => {
    isWanted = true;
    await service.close();
  });

  /** Sends heartbeats with progress while other tests run. */
  async function keepUp({ token }: Assignment): Promise<void> {
    const started = performance.now();
    let done = 0;
    await until(
      'more than LEASE_MS and SILENCE_MS have gone by',
      async () => {
        expect((await component.heartbeat(token, ++done, 0)).body).to.deep.equal({ go: 'on' });
        return performance.now() - started;
      },
      (ms) => ms > 7_000 && isWanted,
      { everyMs: 500, withinMs: 120_000 },
    );
  }

  it('without heartbeats is lost: its result is refused with 409, and the newer one counts', async () => {
    const id = await service.submit(ABSENT);
    const lost = await component.claimOf(id, 'ABSENT');
    const newer = await component.claimOf(id, 'ABSENT');
    expect([newer.id, newer.attempt]).to.deep.equal([lost.id, 2]);
    expect((await component.heartbeat(lost.token)).status).to.equal(409);
    const { status, body } = await component.result(lost.token, [trackNamed('lost')]);
    expect(status).to.equal(409);
    expect((body as { message: string }).message).to.include('The lease is lost');
    expect((await component.failure(lost.token, 'DETECTION_FAILED', 'lost')).status).to.equal(409);
    expect((await component.result(newer.token, [trackNamed('newer')])).status).to.equal(200);
    expect(
      (await component.result(lost.token, [trackNamed('lost')])).status,
      'once more, after the end',
    ).to.equal(409);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const tracks = tracksOf((await service.document(id)).media[0], 'ABSENT');
    expect(tracks.map(({ trackProperties }) => trackProperties['LABEL'])).to.deep.equal(['newer']);
  });

  it('whose claimant hung up at the moment when work came is not lost', async () => {
    const gone = new AbortController();
    const polls = Array.from({ length: 4 }, () =>
      component
        .say('/claim', { algorithms: ['ABSENT'], waitMs: POLL_MS }, gone.signal)
        .catch(() => undefined),
    );
    const id = await service.submit(ABSENT);
    const isHandedOut = () => service.handedOut().some(({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    await until('it is handed out', isHandedOut, Boolean, { everyMs: 0 });
    gone.abort();
    const replies = await Promise.all(polls);
    const got = replies.flatMap((reply) => (reply?.body as { work: Assignment[] } | undefined)?.work ?? []);
    const work = got[0] ?? (await component.claimOf(id, 'ABSENT'));
    expect(work.id).to.equal(`${id}.1.0.0.0.0`);
    await component.result(work.token, []);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('is kept by heartbeats with progress for longer than LEASE_MS and SILENCE_MS', async () => {
    const { id, work, longEnough } = kept;
    isWanted = true;
    await longEnough;
    expect((await component.result(work.token, [])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('is handed out no longer, and ends with those that run, while the server drains', async () => {
    const id = await service.submit({ ...ABSENT, media: [PICTURE, PICTURE] });
    const work = await component.claimOf(id, 'ABSENT');
    const second = await component.claimOf(id, 'ABSENT');
    expect(second.id, 'before the drain').to.equal(`${id}.1.0.0.1.0`);
    await component.release(second.token);
    const stopped = service.stop();
    await until(
      'the server is not ready',
      async () => (await fetch(`${service.url}/readyz`)).status,
      (status) => status === 503,
    );
    await until(
      'claims are answered empty though there is work',
      async () => {
        const claim = await component.claim('ABSENT', { waitMs: 0 });
        for (const { token } of claim) await component.release(token);
        return claim;
      },
      (claim) => claim.length === 0,
    );
    const refused = await service.create(ABSENT);
    expect([refused.status, refused.headers.get('retry-after')], 'a new job').to.deep.equal([503, '2']);
    expect((await component.heartbeat(work.token, 1, 2)).body).to.deep.equal({ go: 'on' });
    expect((await component.result(work.token, [trackNamed('at the last moment')])).status).to.equal(200);
    expect(await stopped).to.equal(0);

    await service.startHere();
    const rest = await component.claimOf(id, 'ABSENT');
    expect([rest.id, rest.attempt], 'what was committed is not handed out again').to.deep.equal([
      `${id}.1.0.0.1.0`,
      1,
    ]);
    // Redis stores answers. With a single file, each process has its own memory of them.
    const known = process.env['TEST_REDIS_URL'] === undefined ? 409 : 200;
    const repeated = await component.result(work.token, [trackNamed('at the last moment')]);
    expect(repeated.status, 'a token of the earlier process').to.equal(known);
    await component.result(rest.token, []);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('may be one of media work: its holder finishes tracks and writes the document', async () => {
    const id = await service.submit(ABSENT);
    const piece = await component.claimOf(id, 'ABSENT');
    const isMedia = ({ worker }: LogLine) => String(worker).includes('TroupeMedia');
    const { pid } = service.log('component process started').findLast(isMedia)!;
    process.kill(pid, 'SIGKILL');
    await service.waitForLog(
      'component process ended',
      (line) => isMedia(line) && String(line['reason']).includes('SIGKILL'),
    );
    await component.result(piece.token, [trackNamed('a')]);

    const finish: Assignment = await component.claimOf(id, 'TRACK_FINISHING');
    expect([finish.kind, finish.id]).to.deep.equal(['FINISH', `${id}.1.0.0.0.finish`]);
    const summary = { tracks: 0, detections: 0, types: {}, warnings: [], ranges: [] };
    expect((await component.result(finish.token, [JSON.stringify({ summary })])).status).to.equal(200);

    // A component writes the document once, even if it is notified repeatedly.
    const writeDocument = async (whenTold: () => Promise<void>) => {
      const work: Assignment = await component.claimOf(id, 'OUTPUT_OBJECT');
      expect([work.kind, work.id]).to.deep.equal(['DOCUMENT', `${id}.1.document`]);
      const { text } = await service.ask('GET', `/worker/v1/leases/${work.token}/input`);
      const [head, medium, ...rest] = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect([medium?.['path'], rest.length]).to.deep.equal([PICTURE, 0]);
      await whenTold();
      const document = { ...head, media: [medium] };
      return (await component.result(work.token, [JSON.stringify(document)])).status;
    };
    let cancel = 0;
    const status = await writeDocument(async () => {
      cancel = (await service.cancel(id)).status;
    });
    if (status === 409) await writeDocument(() => Promise.resolve());
    const job = await service.terminal(id);
    expect(job.jobStatus).to.equal(cancel === 200 ? 'CANCELLED' : 'COMPLETE');
    // This component writes its own kind of document, which the OpenAPI document does not describe.
    const { body } = await service.askUndeclared('GET', `/rest/jobs/${id}/output/detection`);
    expect((body as { status: string }).status).to.equal(job.jobStatus);
  });
});
