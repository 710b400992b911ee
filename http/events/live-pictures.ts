import { PassThrough } from 'node:stream';
import type { Streams } from '../../actors/guardian/register-streams.ts';
import { isEnded } from '../../actors/streaming-job/state.ts';
import { overloadError } from '../routing/errors.ts';

/** Viewers of one camera on this server. */
export const MOST_VIEWERS = 8;
/** A viewer who reads nothing for so long is let go, and so is one for whom no picture comes. */
const SILENCE_MS = 30_000;
const BOUNDARY = 'picture';
export const PICTURES_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

/** The pictures of live streams as they come, as one answer that does not end. */
export class LivePictures {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  /** Undefined: the job is unknown or has ended. @throws HttpError when as many viewers are there as there may be */
  async open(job: number): Promise<PassThrough | undefined> {
    const { live, views } = this.#streams;
    const stream = await views.detailedStream(job);
    if (stream === undefined || isEnded(stream.jobStatus)) return undefined;
    if (live.followers(job) >= MOST_VIEWERS)
      throw overloadError(`Streaming job ${job} has ${MOST_VIEWERS} viewers already. Try again later.`);
    const viewer = new Viewer();
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

/** A viewer who reads slowly misses pictures: one is under way, and the newest one waits. */
class Viewer {
  readonly body = new PassThrough();
  readonly #silence: NodeJS.Timeout;
  #newest: Buffer | undefined;

  constructor() {
    // With it the head of the answer goes out, before the first picture comes.
    this.body.write('\r\n');
    this.#silence = setTimeout(() => this.body.destroy(), SILENCE_MS).unref();
    this.body.on('drain', () => this.#send());
    // A client that hangs up is no error.
    this.body.on('error', () => undefined);
    this.body.once('close', () => clearTimeout(this.#silence));
  }

  show(jpeg: Buffer): void {
    this.#newest = jpeg;
    this.#send();
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
