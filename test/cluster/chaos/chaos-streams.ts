/** A client that starts a streaming job, cancels it after some time, and starts the next one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isEnded, type StreamingStatus } from '../../../actors/streaming-job/state.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { accessUnits } from '../../support/media/coded-media.ts';
import { h264Over } from '../../support/media/rtp-pictures.ts';
import { rtspServer, type RtspServer } from '../../support/servers/rtsp-server.ts';
import type { Asking } from './chaos-asking.ts';
import type { ChaosStream } from './chaos-history.ts';
import { between, type Random } from './chaos-plan.ts';

const WATCHED_MS = [500, 4_000] as const;
const END_MS = 90_000;
const LOOK_MS = 200;
const SEGMENT_SIZE = 10;
const SPEED = 0.5;

/** For each connection, plays the same clip from the start, then sends nothing more. */
export const camera = (): Promise<RtspServer> =>
  rtspServer(() => ({ ...h264Over(accessUnits(sample('face_move.mp4'))), speed: SPEED, after: 'stall' }));

export class StreamClient {
  readonly streams: ChaosStream[] = [];
  readonly #asking: Asking;
  readonly #random: Random;
  readonly #camera: string;
  #isOver = false;

  constructor(asking: Asking, random: Random, cameraUrl: string) {
    this.#asking = asking;
    this.#random = random;
    this.#camera = cameraUrl;
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Runs one streaming job after another until `stop`. The last one is cancelled, too. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      const stream = await this.#createStream(`stream-${this.streams.length}`);
      const until = Date.now() + between(this.#random, ...WATCHED_MS);
      while (Date.now() < until && !this.#isOver) await this.#look(stream);
      await this.#asking.insist('POST', `/rest/streaming/jobs/${stream.jobId}/cancel`);
      const late = Date.now() + END_MS;
      do await this.#look(stream);
      while (stream.seen.at(-1)?.terminal !== true && Date.now() < late);
    }
  }

  async #createStream(key: string): Promise<ChaosStream> {
    const body = JSON.stringify({
      enableOutputToDisk: false,
      stream: { streamUri: this.#camera, segmentSize: SEGMENT_SIZE },
      stallTimeout: -1,
      pipelineName: 'MOTION DETECTION PIPELINE',
    });
    const ask = () => this.#asking.insist('POST', '/rest/streaming/jobs', body, { 'idempotency-key': key });
    const ids: number[] = [];
    // A repeated creation returns the same job.
    for (const { status, text } of [await ask(), await ask()])
      if (status === 201) ids.push((JSON.parse(text) as { jobId: number }).jobId);
      else throw new Error(`A stream was answered ${status}: ${text}`);
    const stream: ChaosStream = { key, jobId: ids[0]!, ids, seen: [] };
    this.streams.push(stream);
    return stream;
  }

  async #look(stream: ChaosStream): Promise<void> {
    const at = Date.now();
    const { status, text } = await this.#asking.once(
      'GET',
      `/rest/streaming/jobs/${stream.jobId}?details=true`,
    );
    if (status === 200) {
      const { jobStatus, segments } = JSON.parse(text) as { jobStatus: StreamingStatus; segments: number };
      stream.seen.push({ at, until: Date.now(), jobStatus, terminal: isEnded(jobStatus), segments });
    }
    await sleep(LOOK_MS);
  }
}
