import { PassThrough } from 'node:stream';
import type { Streams } from '../../actors/guardian/register-streams.ts';
import { isEnded } from '../../actors/streaming-job/state.ts';
import { overloadError } from '../routing/errors.ts';

/** Maximum number of viewers of one camera on this server. */
export const MOST_VIEWERS = 8;
/** Time after which the answer ends if no picture arrives, and a viewer that does not read is disconnected. */
const SILENCE_MS = 30_000;
const BOUNDARY = 'picture';
export const PICTURES_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

/** The pictures of live streams as they arrive, as one answer without an end. */
export class LivePictures {
  readonly #streams: Streams;
  readonly #silenceMs: number;

  constructor(streams: Streams, silenceMs = SILENCE_MS) {
    this.#streams = streams;
    this.#silenceMs = silenceMs;
  }

  /** Returns undefined if the job is unknown or has ended. @throws HttpError if the maximum number of viewers is connected */
  async open(job: number): Promise<PassThrough | undefined> {
    const { live, views } = this.#streams;
    const stream = await views.detailedStream(job);
    if (stream === undefined || isEnded(stream.jobStatus)) return undefined;
    if (live.followers(job) >= MOST_VIEWERS)
      throw overloadError(`Streaming job ${job} has ${MOST_VIEWERS} viewers already. Try again later.`);
    const viewer = new Viewer(this.#silenceMs);
    const leave = live.follow(job, ({ jpeg }) => viewer.show(jpeg));
    const unwatch = live.watch(job, (event) => {
      if (event.type === 'state' && isEnded(event.state.status)) viewer.body.end();
    });
    viewer.body.once('close', () => {
      leave();
      unwatch();
    });
    return viewer.body;
  }
}

/** One viewer. A slow viewer misses pictures: at most one picture is being sent, and only the newest one waits. */
class Viewer {
  readonly body = new PassThrough();
  readonly #silence: NodeJS.Timeout;
  #newest: Buffer | undefined;

  constructor(silenceMs: number) {
    // This write sends the headers of the answer before the first picture arrives.
    this.body.write('\r\n');
    this.#silence = setTimeout(() => this.#onSilence(), silenceMs).unref();
    this.body.on('drain', () => this.#send());
    // A client that disconnects is no error.
    this.body.on('error', () => undefined);
    this.body.once('close', () => clearTimeout(this.#silence));
  }

  show(jpeg: Buffer): void {
    this.#newest = jpeg;
    this.#send();
  }

  /** Ends the answer if no picture arrives. A viewer that does not read would not notice its end. */
  #onSilence(): void {
    if (this.body.writableNeedDrain || this.body.writableEnded) this.body.destroy();
    else {
      this.body.end();
      this.#silence.refresh();
    }
  }

  #send(): void {
    const jpeg = this.#newest;
    if (jpeg === undefined || this.body.writableNeedDrain || this.body.writableEnded || this.body.destroyed)
      return;
    this.#newest = undefined;
    this.#silence.refresh();
    this.body.write(`--${BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.length}\r\n\r\n`);
    this.body.write(jpeg);
    this.body.write('\r\n');
  }
}
