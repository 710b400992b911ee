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

  /** Begins to analyze a stream; it runs until the stream ends or somebody cancels it. */
  async create(request: StreamRequest): Promise<CreatedStream> {
    const body = JSON.stringify(request);
    const answer = await this.#rest.ask({ method: 'POST', path: PATH, body, once: 'job' });
    return this.#rest.good(answer) as CreatedStream;
  }

  /** A new job in place of a stored one, with these members changed. The stored one is cancelled, if it is live. */
  async restart(id: number, changes: StreamChanges): Promise<CreatedStream> {
    const body = JSON.stringify(changes);
    const path = `${streamPath(String(id))}/restart`;
    return this.#rest.good(
      await this.#rest.ask({ method: 'POST', path, body, once: 'job' }),
    ) as CreatedStream;
  }

  /** Numbers of streaming jobs; `isActive` false: also of those that have ended. */
  async list(isActive = true): Promise<readonly number[]> {
    const answer = await this.#rest.ask({ method: 'GET', path: `${PATH}?isActive=${isActive}` });
    return (this.#rest.good(answer) as StreamIds).jobIds;
  }

  /** The state of a streaming job, with all details. */
  show(id: number): Promise<StreamInfo> {
    return streamOf(this.#rest, String(id));
  }

  /** What happens in the stream, until it ends or the connection breaks. */
  events(id: number, signal: AbortSignal = new AbortController().signal): AsyncGenerator<LiveEvent> {
    return streamEvents(this.#rest, String(id), signal);
  }

  /** The newest events of zones and rules, the newest first. */
  async zoneEvents(id: number, kind?: 'RULE' | 'OTHER', limit = 100): Promise<readonly ZoneEvent[]> {
    const query = `limit=${limit}${kind === undefined ? '' : `&kind=${kind}`}`;
    const answer = await this.#rest.ask({
      method: 'GET',
      path: `${streamPath(String(id))}/zone-events?${query}`,
    });
    return (this.#rest.good(answer) as ZoneEventList).events;
  }

  /** Tracks, entries, crossings and events of rules by hour. */
  async hourlyCounts(id: number): Promise<HourlyCounts> {
    const answer = await this.#rest.ask({ method: 'GET', path: `${streamPath(String(id))}/counts` });
    return this.#rest.good(answer) as HourlyCounts;
  }

  /** Waits for the end of a streaming job. @throws ClientError when `signal` aborts; the job then continues */
  wait(id: number, signal: AbortSignal = new AbortController().signal): Promise<StreamInfo> {
    return watchStream(this.#rest, String(id), { onEvent: () => undefined, signal });
  }

  /** The newest frame as a JPEG, with the boxes that were found in it. */
  async picture(id: number): Promise<Buffer> {
    const path = `${streamPath(String(id))}/frame.jpg`;
    const answer = await this.#rest.ask({ method: 'GET', path, streamed: true });
    if (answer.stream === undefined) throw refusal(answer);
    return buffer(answer.stream);
  }

  /** What is recorded of the stream. */
  async recordings(id: number): Promise<RecordingList> {
    const path = `${streamPath(String(id))}/recordings`;
    return this.#rest.good(await this.#rest.ask({ method: 'GET', path })) as RecordingList;
  }

  /** `doCleanup`: also removes the files of the job. */
  async cancel(id: number, doCleanup = false): Promise<CancelledStream> {
    const path = `${streamPath(String(id))}/cancel?doCleanup=${doCleanup}`;
    return this.#rest.good(await this.#rest.ask({ method: 'POST', path })) as CancelledStream;
  }
}

const PATH = '/rest/streaming/jobs';
