/** Streaming jobs: pipelines over live streams. */
import { buffer } from 'node:stream/consumers';
import type {
  CancelledStream,
  CreatedStream,
  HourlyCounts,
  RecordingList,
  StreamChanges,
  StreamIds,
  StreamInfo,
  StreamRequest,
  ZoneEvent,
  ZoneEventList,
} from '../answers.ts';
import { refusal, type RestClient } from '../rest-client.ts';
import { streamEvents, streamOf, streamPath, watchStream, type LiveEvent } from '../watch-stream.ts';

export class Streams {
  readonly #rest: RestClient;

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** Starts a streaming job. It runs until the stream ends or a user cancels it. */
  async create(request: StreamRequest): Promise<CreatedStream> {
    const body = JSON.stringify(request);
    const answer = await this.#rest.ask({ method: 'POST', path: PATH, body, once: 'job' });
    return this.#rest.good(answer) as CreatedStream;
  }

  /** Replaces a stored job by a new one with these members changed. A live job is cancelled first. */
  async restart(id: number, changes: StreamChanges): Promise<CreatedStream> {
    const body = JSON.stringify(changes);
    const path = `${streamPath(String(id))}/restart`;
    return this.#rest.good(
      await this.#rest.ask({ method: 'POST', path, body, once: 'job' }),
    ) as CreatedStream;
  }

  /** Returns the numbers of streaming jobs. With `isActive` false, includes ended jobs. */
  async list(isActive = true): Promise<readonly number[]> {
    const answer = await this.#rest.ask({ method: 'GET', path: `${PATH}?isActive=${isActive}` });
    return (this.#rest.good(answer) as StreamIds).jobIds;
  }

  /** Returns the state of a streaming job, with all details. */
  show(id: number): Promise<StreamInfo> {
    return streamOf(this.#rest, String(id));
  }

  /** Yields the events of a stream, until it ends or the connection breaks. */
  events(id: number, signal: AbortSignal = new AbortController().signal): AsyncGenerator<LiveEvent> {
    return streamEvents(this.#rest, String(id), signal);
  }

  /** Returns the newest events of zones and rules, newest first. */
  async zoneEvents(id: number, kind?: 'RULE' | 'OTHER', limit = 100): Promise<readonly ZoneEvent[]> {
    const query = `limit=${limit}${kind === undefined ? '' : `&kind=${kind}`}`;
    const answer = await this.#rest.ask({
      method: 'GET',
      path: `${streamPath(String(id))}/zone-events?${query}`,
    });
    return (this.#rest.good(answer) as ZoneEventList).events;
  }

  /** Returns the numbers of tracks, entries, crossings and events of rules by hour. */
  async hourlyCounts(id: number): Promise<HourlyCounts> {
    const answer = await this.#rest.ask({ method: 'GET', path: `${streamPath(String(id))}/counts` });
    return this.#rest.good(answer) as HourlyCounts;
  }

  /** Waits for the end of a streaming job. @throws ClientError if `signal` aborts; the job then continues */
  wait(id: number, signal: AbortSignal = new AbortController().signal): Promise<StreamInfo> {
    return watchStream(this.#rest, String(id), { onEvent: () => undefined, signal });
  }

  /** Returns the newest frame as a JPEG, with its boxes drawn. */
  async picture(id: number): Promise<Buffer> {
    const path = `${streamPath(String(id))}/frame.jpg`;
    const answer = await this.#rest.ask({ method: 'GET', path, streamed: true });
    if (answer.stream === undefined) throw refusal(answer);
    return buffer(answer.stream);
  }

  /** Returns the recordings of the stream. */
  async recordings(id: number): Promise<RecordingList> {
    const path = `${streamPath(String(id))}/recordings`;
    return this.#rest.good(await this.#rest.ask({ method: 'GET', path })) as RecordingList;
  }

  /** Cancels a job. `doCleanup`: also deletes the files of the job. */
  async cancel(id: number, doCleanup = false): Promise<CancelledStream> {
    const path = `${streamPath(String(id))}/cancel?doCleanup=${doCleanup}`;
    return this.#rest.good(await this.#rest.ask({ method: 'POST', path })) as CancelledStream;
  }
}

const PATH = '/rest/streaming/jobs';
