/** Reports of segments as posted, with real files. Only the receiver is simulated. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { healthReport } from '../../../../http/schemas/callbacks.ts';
import { systemClock } from '../../../../actors/basics/clock.ts';
import { StreamReports } from '../../../../actors/streaming-job/reports/reports.ts';
import { LIVE_STREAMS } from '../../../../actors/streaming-job/indexes.ts';
import { INITIAL, STREAMING_JOB, type StreamingJobRecord } from '../../../../actors/streaming-job/state.ts';
import { segmentFile, segmentsFolder, streamOutputFolder } from '../../../../results/layout.ts';
import { LOCAL_LOCKS } from '../../../../store/cluster-locks.ts';
import { SqliteStore } from '../../../../store/sqlite/sqlite-store.ts';
import { StoreAway } from '../../../../store/store.ts';
import { temporaryFolder } from '../../../store/folder.ts';
import { until } from '../../../support/until.ts';
import { STREAM } from '../stream.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('The report of a segment', () => {
  const place = temporaryFolder();
  let store: SqliteStore;
  let dataDir = '';
  let folders = 0;
  let posted: string[] = [];
  let reports: StreamReports;
  /** Secrets of jobs with signed reports. */
  const signed = new Map<string, readonly string[] | undefined>();
  /** Traces of the posted reports. */
  const traced: (string | undefined)[] = [];
  /** Number of posts that never end. */
  let hanging = 0;
  let hangs = false;
  let isAway = false;
  beforeEach(async () => {
    dataDir = place(`data-${++folders}`);
    posted = [];
    isAway = hangs = false;
    hanging = traced.length = 0;
    await mkdir(segmentsFolder(dataDir, STREAM.number), { recursive: true });
    store = new SqliteStore(path.join(dataDir, 'troupe.db'));
    reports = startReports();
  });
  afterEach(() => store.close());

  /** Reports of a newly started server. */
  const startReports = () =>
    new StreamReports({
      ...{ store, dataDir, clock: systemClock, logger: silent },
      locks: {
        ...LOCAL_LOCKS,
        claim: () => (isAway ? Promise.reject(new StoreAway('It is gone.')) : Promise.resolve(true)),
      },
      ...{ maxQueued: 10, timeoutMs: 60_000, meter: { reportEnded() {} }, tellOthers() {} },
      send: ({ text, webhook, headers }) => {
        signed.set(text!, webhook?.secrets);
        traced.push(headers?.['traceparent']);
        if (hangs) return new Promise(() => hanging++);
        posted.push(text!);
        return Promise.resolve({ kind: 'sent' });
      },
    });

  const storeStream = (record: StreamingJobRecord) =>
    store.commit({
      actor: { kind: STREAMING_JOB, id: String(record.number) },
      ...{ expected: 0, owner: { server: 'here', epoch: 1 }, record },
      snapshot: { schema: 1, body: { state: { ...INITIAL, status: 'IN_PROGRESS' } } },
      index: { [LIVE_STREAMS]: record.number },
    });
  const waitForSegment = (segment: number) =>
    writeFile(segmentFile(dataDir, STREAM.number, segment), `segment ${segment}`);
  const publishSegments = async (record: StreamingJobRecord, lastSegment: number) => {
    await reports.publish(record, { ...INITIAL, status: 'IN_PROGRESS', lastSegment });
    await until(`segment ${lastSegment} is posted`, () => posted.includes(`segment ${lastSegment}`));
    const listLeft = () => readdir(segmentsFolder(dataDir, record.number));
    await until('no report waits', async () => (await listLeft()).length === 0);
  };

  for (const enableOutputToDisk of [false, true])
    it(`is posted once, though another server brings it again when it has gone${enableOutputToDisk ? ', and kept once' : ''}`, async () => {
      const record = { ...STREAM, enableOutputToDisk, summaryReportCallbackUri: 'http://receiver.example' };
      await waitForSegment(0);
      await publishSegments(record, 0);
      await waitForSegment(0);
      await waitForSegment(1);
      await publishSegments(record, 1);
      expect(posted).to.deep.equal(['segment 0', 'segment 1']);
      if (enableOutputToDisk)
        expect(await readdir(streamOutputFolder(dataDir, record.number))).to.have.length(2);
    });

  for (const enableOutputToDisk of [false, true])
    it(`is posted by the next server when the one before has died over it${enableOutputToDisk ? ', and kept once' : ''}`, async () => {
      const record = { ...STREAM, enableOutputToDisk, summaryReportCallbackUri: 'http://receiver.example' };
      await waitForSegment(0);
      hangs = true;
      await reports.publish(record, { ...INITIAL, status: 'IN_PROGRESS', lastSegment: 0 });
      await until('it is being posted', () => hanging > 0);
      hangs = false;
      reports = startReports();
      await publishSegments(record, 0);
      expect(posted).to.deep.equal(['segment 0']);
      if (enableOutputToDisk)
        expect(await readdir(streamOutputFolder(dataDir, record.number))).to.have.length(1);
    });

  it('leaves its folder to a cleanup if the job ends while the store is away; no server ends', async () => {
    isAway = true;
    await waitForSegment(0);
    await reports.onEnd(STREAM);
    expect(await readdir(segmentsFolder(dataDir, STREAM.number))).to.have.length(1);
    isAway = false;
    await reports.onEnd(STREAM);
    expect(await readdir(path.dirname(segmentsFolder(dataDir, STREAM.number)))).to.deep.equal([]);
  });

  it('belongs to the trace of its job, unless it is about several jobs', async () => {
    const address = 'http://receiver.example';
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await waitForSegment(0);
    await publishSegments({ ...STREAM, summaryReportCallbackUri: address, traceparent }, 0);
    for (const [number, healthReportCallbackUri] of [
      [21, `${address}/one`],
      [22, address],
      [23, address],
    ] as const)
      await storeStream({ ...STREAM, number, healthReportCallbackUri, traceparent });
    await reports.healthOfAll();
    await until('two reports of health are posted', () => posted.length === 3);
    expect(traced).to.have.members([traceparent, traceparent, undefined]);
  });

  it('is signed with the secret of its job, and health of jobs with others goes apart', async () => {
    const [address, text] = ['http://receiver.example', 'segment 0'];
    const callbackSecrets = ['whsec_own'];
    await waitForSegment(0);
    await publishSegments({ ...STREAM, summaryReportCallbackUri: address, callbackSecrets }, 0);
    expect(signed.get(text)).to.deep.equal(callbackSecrets);
    for (const [number, secrets] of [
      [21, undefined],
      [22, callbackSecrets],
      [23, callbackSecrets],
    ] as const)
      await storeStream({
        ...{ ...STREAM, number, healthReportCallbackUri: address },
        ...(secrets === undefined ? {} : { callbackSecrets: secrets }),
      });
    await reports.healthOfAll();
    await until('two reports of health are posted', () => posted.length === 3);
    const jobsOf = (report: string) =>
      z
        .strictObject(healthReport.shape)
        .parse(JSON.parse(report))
        .reports.map(({ jobId }) => jobId);
    expect(posted.slice(1).map((report) => [jobsOf(report), signed.get(report)])).to.deep.equal([
      [[21], undefined],
      [[22, 23], callbackSecrets],
    ]);
  });
});
