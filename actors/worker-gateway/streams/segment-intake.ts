/** The steps of a segment of a live stream: receive, check, write its report, commit, and only then reply. */
import type { Readable } from 'node:stream';
import { wantsDetails } from '../../../domain/properties/properties.ts';
import { BROKEN, type StreamOutcome } from '../../../protocol/answer-outcome.ts';
import type { ActionNames, SegmentVerdict } from '../../../results/check/segment-report.ts';
import type { SegmentTracks } from '../../../results/check/segment-tracks.ts';
import { maskUri } from '../../../domain/job/censor.ts';
import { segmentFile, streamTracksFile } from '../../../results/layout.ts';
import { localIso } from '../../../results/local-iso.ts';
import { removeFile } from '../../../files/remove.ts';
import { FloodError, receive } from '../../../results/spool.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { NamedStreamAction } from '../../streaming-job/state.ts';
import { storedStream, type StoredStream } from '../../streaming-job/stored-stream.ts';
import { isOutcome } from '../results/answer-path.ts';
import { isBroken } from '../results/sent-answer.ts';
import type { StreamIntakeDeps } from './stream-intake-deps.ts';
import { streamNumber, type StreamSettlement } from './stream-settlement.ts';

export interface HeldSegment {
  readonly lease: Lease;
  readonly segment: number;
  /** File of its report. */
  readonly report: string;
}
export interface ReceivedSegment extends HeldSegment {
  /** File of its body until it is checked. */
  readonly file: string;
}
export interface ReportedSegment extends HeldSegment {
  readonly verdict: Extract<SegmentVerdict, { readonly ok: true }>;
}

type SegmentIntakeDeps = Pick<
  StreamIntakeDeps,
  'store' | 'checker' | 'live' | 'clock' | 'dataDir' | 'resultLimits' | 'counters' | 'searchesStreams'
>;

export class SegmentIntake {
  readonly #deps: SegmentIntakeDeps;
  readonly #settlement: StreamSettlement;
  #arrivals = 0;

  constructor(deps: SegmentIntakeDeps, settlement: StreamSettlement) {
    this.#deps = deps;
    this.#settlement = settlement;
  }

  async hold(token: string, worker: string, segment: number): Promise<HeldSegment | StreamOutcome> {
    const held = await this.#settlement.hold(token, worker);
    if (isOutcome<StreamOutcome>(held)) return held;
    const { lease } = held;
    const job = await this.#jobOf(lease, segment);
    if (isOutcome<StreamOutcome>(job)) return job;
    return { lease, segment, report: segmentFile(this.#deps.dataDir, job.record.number, segment) };
  }

  async receive(held: HeldSegment, body: Readable): Promise<ReceivedSegment | StreamOutcome> {
    const { token } = held.lease;
    const file = `${held.report}.${token}.${++this.#arrivals}`;
    try {
      await receive(body, file, this.#deps.resultLimits);
      return { ...held, file };
    } catch (error) {
      if (error instanceof FloodError) return this.#settlement.garbage(token, error.message);
      if (isBroken(body)) return BROKEN;
      throw error;
    }
  }

  /** Writes the report. Another answer with the same segment may have been accepted in the meantime. */
  async check({ file, ...held }: ReceivedSegment): Promise<ReportedSegment | StreamOutcome> {
    const { lease, segment, report } = held;
    try {
      const job = await this.#jobOf(lease, segment);
      if (isOutcome<StreamOutcome>(job)) return job;
      const head = headOf(job, segment, this.#deps.clock.now());
      const { searchesStreams, dataDir, checker } = this.#deps;
      const tracks = searchesStreams ? tracksOf(job, segment, dataDir) : undefined;
      const verdict = await checker.segmentReport({ path: file, report, head, tracks });
      return verdict.ok ? { ...held, verdict } : this.#settlement.garbage(lease.token, verdict.reason);
    } finally {
      await removeFile(file);
    }
  }

  async settle({ lease, segment, verdict }: ReportedSegment): Promise<StreamOutcome> {
    const { summary, tracks, detections, firstTrack } = verdict;
    const { counts, stopTime: at } = summary;
    const { attempt } = lease.item;
    const number = streamNumber(lease);
    this.#deps.counters.addCounts(number, attempt, counts);
    const command = { type: 'segment', segment, counts, firstTrack, attempt } as const;
    const reply = await this.#settlement.ask(lease, command);
    if (reply === 'done') this.#deps.live.tell(number, { type: 'segment', at, segment, tracks, detections });
    return this.#settlement.reply(lease, reply);
  }

  /** Returns the job if it lacks the segment. */
  async #jobOf(lease: Lease, segment: number): Promise<StoredStream | StreamOutcome> {
    const job = await storedStream(this.#deps.store, streamNumber(lease));
    if (job === undefined) return this.#settlement.end(lease.token);
    return segment <= job.state.lastSegment ? this.#settlement.accept(lease) : job;
  }
}

const headOf = ({ record, state }: StoredStream, segment: number, at: number) => ({
  jobId: record.number,
  externalId: record.externalId,
  segmentId: segment,
  segmentSize: record.segmentSize,
  trackType: record.trackType,
  errorMessage: state.gapSince === null ? '' : gapSentence(state.gapSince),
  at,
  details: wantsDetails(record.properties),
  ...(record.actions === undefined ? {} : { actions: record.actions.map(namesOf) }),
});

const namesOf = ({ taskName: task, name: action }: NamedStreamAction): ActionNames => ({ task, action });

const tracksOf = ({ record, state }: StoredStream, segment: number, dataDir: string): SegmentTracks => ({
  file: streamTracksFile(dataDir, record.number, segment),
  streamUri: maskUri(record.streamUri),
  createdAt: record.createdAt,
  trackType: record.trackType,
  actions: record.actions?.map(({ name, algorithm }) => ({ name, algorithm })) ?? [
    { name: record.action ?? '', algorithm: record.algorithm },
  ],
  picture: state.picture,
});

const gapSentence = (since: number) =>
  `Frames since ${localIso(since)} may have been missed: the component ended and was started again.`;
