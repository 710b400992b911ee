/** The intake of parts of live streams: segments, events, pictures and ends. Each passes the steps of every answer. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BROKEN, LOST, type StreamOutcome } from '../../../protocol/answer-outcome.ts';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import type { RecordedFragment } from '../../../protocol/stream-fragments.ts';
import type { StreamEnd, StreamEvents } from '../../../protocol/streams.ts';
import { FloodError } from '../../../results/spool.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { RecordingOutcome } from '../../streaming-job/recordings/recording-store.ts';
import { storedStream } from '../../streaming-job/stored-stream.ts';
import type { StreamingJobCommand } from '../../streaming-job/commands.ts';
import { acceptAnswer } from '../results/answer-path.ts';
import { SerialQueues } from './serial-queues.ts';
import {
  SegmentIntake,
  type HeldSegment,
  type ReceivedSegment,
  type ReportedSegment,
} from './segment-intake.ts';
import type { StreamIntakeDeps } from './stream-intake-deps.ts';
import { StreamEventIntake } from './stream-events.ts';
import { StreamSettlement, streamNumber } from './stream-settlement.ts';

interface HeldStream {
  readonly lease: Lease;
}
interface WithPicture extends HeldStream {
  readonly picture: Buffer;
}

/** Errors that another attempt would have, too. */
const FINAL: readonly string[] = [
  'COULD_NOT_OPEN_MEDIA',
  'UNSUPPORTED_DATA_TYPE',
  'MISSING_PROPERTY',
  'INVALID_PROPERTY',
];

export class StreamIntake {
  readonly #deps: StreamIntakeDeps;
  readonly #settlement: StreamSettlement;
  readonly #segments: SegmentIntake;
  readonly #events: StreamEventIntake;
  /** Segments that are being accepted, by their files. */
  readonly #inTurn = new SerialQueues();

  constructor(deps: StreamIntakeDeps) {
    this.#deps = deps;
    this.#settlement = new StreamSettlement(deps);
    this.#segments = new SegmentIntake(deps, this.#settlement);
    this.#events = new StreamEventIntake(deps, this.#settlement);
  }

  segment(token: string, worker: string, segment: number, body: Readable): Promise<StreamOutcome> {
    const segments = this.#segments;
    return acceptAnswer<HeldSegment, ReceivedSegment, ReportedSegment, StreamOutcome>({
      lease: () => segments.hold(token, worker, segment),
      receive: (held) => segments.receive(held, body),
      check: (received) => segments.check(received),
      command: (reported) => segments.settle(reported),
      // A component without a reply repeats its segment. The repetition must not restore a report that was published in the meantime.
      inTurn: ({ report }, work) => this.#inTurn.take(report, work),
    });
  }

  events(token: string, worker: string, { events, counts }: StreamEvents): Promise<StreamOutcome> {
    return acceptAnswer<HeldStream, HeldStream, HeldStream, StreamOutcome>({
      ...this.#steps(token, worker),
      command: ({ lease }) => this.#events.settle(lease, events, counts),
    });
  }

  /** Accepts the newest picture, with its detections drawn. */
  picture(token: string, worker: string, body: Readable): Promise<StreamOutcome> {
    return acceptAnswer<HeldStream, WithPicture, WithPicture, StreamOutcome>({
      lease: () => this.#holdOpen(token, worker),
      receive: (held) => this.#receivePicture(held, body),
      check: (received) => received,
      command: ({ lease, picture }) => {
        this.#deps.live.pictureCame(streamNumber(lease), picture);
        return this.#settlement.accept(lease);
      },
    });
  }

  /** Accepts a part of the recording. A refusal never ends the stream. */
  async fragment(
    token: string,
    worker: string,
    fragment: RecordedFragment,
    body: Readable,
  ): Promise<StreamOutcome | Exclude<RecordingOutcome, 'stored'>> {
    const held = await this.#holdOpen(token, worker);
    if (!('lease' in held)) return held;
    const job = await storedStream(this.#deps.store, streamNumber(held.lease));
    if (job === undefined) return LOST;
    const outcome = await this.#deps.recordings.accept(job.record, fragment, body);
    return outcome === 'stored' ? this.#settlement.accept(held.lease) : outcome;
  }

  onEnd(token: string, worker: string, end: StreamEnd): Promise<StreamOutcome> {
    return acceptAnswer<HeldStream, HeldStream, HeldStream, StreamOutcome>({
      ...this.#steps(token, worker),
      command: ({ lease }) => this.#settle(lease, { type: 'ended', ...end, attempt: lease.item.attempt }),
    });
  }

  /** Accepts a failure. The caller has checked the lease. */
  acceptFailure(lease: Lease, { code, message }: FailureRequest): Promise<StreamOutcome> {
    const final = FINAL.includes(code);
    const words =
      code === 'COULD_NOT_OPEN_MEDIA' ? 'Unable to connect to stream' : 'Error in component logic';
    return this.#settle(lease, {
      type: 'failed',
      message: final ? `${words}: ${message}` : message,
      final,
      attempt: lease.item.attempt,
    });
  }

  /** Returns the steps of small messages. Their schema is the only check. */
  #steps(token: string, worker: string) {
    return {
      lease: () => this.#settlement.hold(token, worker),
      receive: (held: HeldStream) => held,
      check: (received: HeldStream) => received,
    };
  }

  /**
   * Reports the end or failure of a stream to its job, and ends the process. Another attempt gets a new process without state of this one.
   */
  async #settle(lease: Lease, command: StreamingJobCommand): Promise<StreamOutcome> {
    const reply = await this.#settlement.ask(lease, command);
    if (reply === 'done') this.#deps.rest(lease.worker);
    return this.#settlement.reply(lease, reply);
  }

  /** Returns the lease of a stream that has not ended. Pictures of ended streams are not needed. */
  async #holdOpen(token: string, worker: string): Promise<HeldStream | StreamOutcome> {
    const held = await this.#settlement.hold(token, worker);
    return 'lease' in held ? held : LOST;
  }

  async #receivePicture(held: HeldStream, body: Readable): Promise<WithPicture | StreamOutcome> {
    const { maxPictureBytes } = this.#deps.settings;
    let size = 0;
    const pieces = body.map((piece: Buffer) => {
      size += piece.length;
      if (size > maxPictureBytes) throw new FloodError('maxBytes', maxPictureBytes);
      return piece;
    });
    try {
      return { ...held, picture: await buffer(pieces) };
    } catch (error) {
      return error instanceof FloodError ? { kind: 'garbage', reason: error.message } : BROKEN;
    }
  }
}
