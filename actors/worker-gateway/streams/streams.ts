/** Where components that watch live streams bring what they see: between the worker protocol, the work ledger and the streaming jobs. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { wantsDetails } from '../../../domain/properties/properties.ts';
import type { StreamAnswer, StreamEnd, StreamEvents } from '../../../protocol/streams.ts';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import type { ResultChecker } from '../../../results/check/check.ts';
import { segmentFile } from '../../../results/layout.ts';
import { localIso } from '../../../results/local-iso.ts';
import { removeFile } from '../../../files/remove.ts';
import { FloodError, receive, type SpoolLimits } from '../../../results/spool.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import type { Family } from '../../runtime/system.ts';
import type { StreamingJobCommand } from '../../streaming-job/commands.ts';
import type { StreamingJobReply } from '../../streaming-job/context.ts';
import type { LiveStreams } from '../../streaming-job/live.ts';
import { STREAMING_JOB } from '../../streaming-job/state.ts';
import type { StreamMeter } from '../../basics/meter.ts';
import { storedStream } from '../../streaming-job/stored-stream.ts';
import type { Taken } from '../../../protocol/answer-outcome.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { streamAssignment, type StreamSettings } from './stream-assignment.ts';
import { StreamCounters } from './stream-counters.ts';
import { commandOf, isSeenOnly, soonestFirst, type SeenOnly } from './stream-events.ts';

export interface StreamGatewayDeps {
  readonly store: Store;
  readonly streamingJobs: Family<StreamingJobCommand, StreamingJobReply>;
  readonly checker: ResultChecker;
  readonly live: LiveStreams;
  readonly meter: Pick<StreamMeter, 'eventCame'>;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly resultLimits: SpoolLimits;
  readonly settings: StreamSettings;
  /** The process of this worker has done what it was started for. */
  rest(worker: string): void;
}

/** `go` beside what became of a message. */
export type StreamTaken = Exclude<Taken, { kind: 'taken' }> | ({ readonly kind: 'taken' } & StreamAnswer);

/** A stream that another attempt could not watch, either. */
const FINAL: readonly string[] = [
  'COULD_NOT_OPEN_MEDIA',
  'UNSUPPORTED_DATA_TYPE',
  'MISSING_PROPERTY',
  'INVALID_PROPERTY',
];

export class StreamGateway {
  /** Frames since the server started. */
  readonly counters = new StreamCounters();
  readonly #deps: StreamGatewayDeps;
  /** Segments that are being taken in, by their files. */
  readonly #segments = new OneAtATime();
  #arrivals = 0;

  constructor(deps: StreamGatewayDeps) {
    this.#deps = deps;
  }

  /** What a component is told that has claimed a stream; undefined: nobody wants it watched any more. */
  async assignment(lease: Lease): Promise<StreamAssignment | undefined> {
    const { item } = lease;
    const { store, settings } = this.#deps;
    const job = await storedStream(store, Number(item.actor.id));
    if (job === undefined || job.state.attempt !== item.attempt) return undefined;
    // From here on it is another one who sees the frames.
    if (job.state.opened) await this.#ask(lease, { type: 'claimed', attempt: item.attempt });
    const { number } = job.record;
    this.counters.begins(number, item.attempt);
    this.#deps.live.begins(number);
    return streamAssignment(lease, job, settings);
  }

  /** A segment: received, checked, made a report, committed, and only then answered. */
  async segment(token: string, worker: string, segment: number, body: Readable): Promise<StreamTaken> {
    const lease = await this.#lease(token, worker);
    if (typeof lease === 'string') return lease === 'lost' ? { kind: 'lost' } : { kind: 'taken', go: 'on' };
    const job = await storedStream(this.#deps.store, jobOf(lease));
    if (job === undefined) return this.#end(token);
    if (segment <= job.state.lastSegment) return this.#taken(lease);
    const file = segmentFile(this.#deps.dataDir, job.record.number, segment);
    const received = `${file}.${token}.${++this.#arrivals}`;
    try {
      await receive(body, received, this.#deps.resultLimits);
      // The same segment again, of a component that got no answer, must not bring a report back that was published meanwhile.
      return await this.#segments.take(file, () => this.#take(lease, segment, received));
    } catch (error) {
      if (error instanceof FloodError) return this.#garbage(token, error.message);
      if (body.readableAborted || body.errored !== null) return { kind: 'broken' };
      throw error;
    } finally {
      await removeFile(received);
    }
  }

  /** A segment that lies in the file `received`. */
  async #take(lease: Lease, segment: number, received: string): Promise<StreamTaken> {
    const job = await storedStream(this.#deps.store, jobOf(lease));
    if (job === undefined) return this.#end(lease.token);
    const { record, state } = job;
    if (segment <= state.lastSegment) return this.#taken(lease);
    const verdict = await this.#deps.checker.segmentReport({
      path: received,
      report: segmentFile(this.#deps.dataDir, record.number, segment),
      head: {
        jobId: record.number,
        externalId: record.externalId,
        segmentId: segment,
        segmentSize: record.segmentSize,
        trackType: record.trackType,
        errorMessage: state.gapSince === null ? '' : gapSentence(state.gapSince),
        at: this.#deps.clock.now(),
        details: wantsDetails(record.properties),
      },
    });
    if (!verdict.ok) return this.#garbage(lease.token, verdict.reason);
    const { summary, tracks, detections, firstTrack } = verdict;
    const { counts } = summary;
    const { attempt } = lease.item;
    this.counters.counted(record.number, attempt, counts);
    const reply = await this.#ask(lease, { type: 'segment', segment, counts, firstTrack, attempt });
    if (reply === 'done')
      this.#deps.live.tell(record.number, {
        type: 'segment',
        at: summary.stopTime,
        segment,
        tracks,
        detections,
      });
    return this.#answered(lease, reply);
  }

  async events(token: string, worker: string, { events, counts }: StreamEvents): Promise<StreamTaken> {
    const lease = await this.#lease(token, worker);
    if (typeof lease === 'string') return lease === 'lost' ? { kind: 'lost' } : { kind: 'taken', go: 'on' };
    const number = jobOf(lease);
    for (const event of soonestFirst(events)) {
      if (event.type === 'trackBegan' || event.type === 'activity') this.#came(event.at);
      if (isSeenOnly(event)) {
        this.#deps.live.tell(number, await this.#withTrackType(number, event));
        continue;
      }
      const reply = await this.#ask(lease, commandOf(event, lease.item.attempt));
      if (reply === 'stale') return this.#end(token);
      if (event.type === 'warning' && reply === 'done') this.#deps.live.tell(number, event);
    }
    if (counts !== undefined) {
      this.counters.counted(number, lease.item.attempt, counts);
      this.#deps.live.tell(number, { type: 'counts', counts });
    }
    return this.#taken(lease);
  }

  /** A component may leave it out: then all tracks of a stream have the type of its algorithm. */
  async #withTrackType(job: number, event: SeenOnly): Promise<SeenOnly> {
    if (event.type !== 'trackBegan' || event.trackType !== undefined) return event;
    const stored = await storedStream(this.#deps.store, job);
    return stored === undefined ? event : { ...event, trackType: stored.record.trackType };
  }

  /** The newest picture, with what was found in it drawn. */
  async picture(token: string, worker: string, body: Readable): Promise<StreamTaken> {
    const lease = await this.#lease(token, worker);
    if (typeof lease === 'string') return { kind: 'lost' };
    const { maxPictureBytes } = this.#deps.settings;
    let size = 0;
    const pieces = body.map((piece: Buffer) => {
      size += piece.length;
      if (size > maxPictureBytes) throw new FloodError('maxBytes', maxPictureBytes);
      return piece;
    });
    try {
      this.#deps.live.pictureCame(jobOf(lease), await buffer(pieces));
    } catch (error) {
      if (error instanceof FloodError) return { kind: 'garbage', reason: error.message };
      return { kind: 'broken' };
    }
    return this.#taken(lease);
  }

  async ended(token: string, worker: string, end: StreamEnd): Promise<StreamTaken> {
    const lease = await this.#lease(token, worker);
    if (typeof lease === 'string') return lease === 'lost' ? { kind: 'lost' } : { kind: 'taken', go: 'on' };
    const reply = await this.#ask(lease, { type: 'ended', ...end, attempt: lease.item.attempt });
    if (reply === 'done') this.#deps.rest(worker);
    return this.#answered(lease, reply);
  }

  async failed(lease: Lease, { code, message }: FailureRequest): Promise<Taken> {
    const final = FINAL.includes(code);
    const words =
      code === 'COULD_NOT_OPEN_MEDIA' ? 'Unable to connect to stream' : 'Error in component logic';
    const reply = await this.#ask(lease, {
      type: 'failed',
      message: final ? `${words}: ${message}` : message,
      final,
      attempt: lease.item.attempt,
    });
    // Another attempt gets a process that knows nothing of what went wrong in this one.
    if (reply === 'done') this.#deps.rest(lease.worker);
    return this.#answered(lease, reply);
  }

  /** The clock of a component on another machine may go before ours. */
  #came(frameAt: number): void {
    this.#deps.meter.eventCame(Math.max(0, this.#deps.clock.now() - frameAt) / 1_000);
  }

  async #ask(lease: Lease, command: StreamingJobCommand): Promise<'done' | 'repeated' | 'stale'> {
    const reply = await this.#deps.streamingJobs.ask(lease.item.actor.id, command);
    if (reply.kind === 'done') return 'done';
    // What changes nothing where the job stands now is no fault of the component.
    return reply.reason === 'REPEATED' || reply.reason === 'WRONG_STATE' ? 'repeated' : 'stale';
  }

  #answered(lease: Lease, reply: 'done' | 'repeated' | 'stale'): Promise<StreamTaken> {
    return reply === 'stale' ? this.#end(lease.token) : this.#taken(lease);
  }

  async #taken({ token, worker, item }: Lease): Promise<StreamTaken> {
    const now = await this.#deps.store.work.look(token, worker);
    const go = typeof now !== 'string' && now.cancelled ? 'cancelled' : 'on';
    return {
      kind: 'taken',
      go,
      ...(this.#deps.live.wantsFrame(Number(item.actor.id)) ? { wantsFrame: true } : {}),
    };
  }

  /** Of a stream: the token of another sub-job is as good as none. */
  async #lease(token: string, worker: string): Promise<Lease | 'taken' | 'lost'> {
    const found = await this.#deps.store.work.look(token, worker);
    if (found === 'settled') return 'taken';
    return found === 'lost' || found.item.actor.kind !== STREAMING_JOB ? 'lost' : found;
  }

  async #garbage(token: string, reason: string): Promise<StreamTaken> {
    await this.#deps.store.work.reject(token, `its answer was refused: ${reason}`);
    return { kind: 'garbage', reason };
  }

  async #end(token: string): Promise<StreamTaken> {
    await this.#deps.store.work.forget(token);
    return { kind: 'lost' };
  }
}

const jobOf = ({ item }: Lease) => Number(item.actor.id);

const gapSentence = (since: number) =>
  `Frames since ${localIso(since)} may have been missed: the component ended and was started again.`;
