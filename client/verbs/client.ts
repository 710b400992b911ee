/** The REST interface of one server, with one method per verb. The Python client has the same verbs. */
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type {
  Algorithm,
  ApiKey,
  ApiKeyRequest,
  DetectionDocument,
  DuplicateGroups,
  Info,
  JobEvent,
  JobInfo,
  JobRequest,
  ListedJob,
  ListJobsQuery,
  ListPeopleQuery,
  NewApiKey,
  Occurrence,
  Person,
  PersonSplit,
  Pipeline,
  SearchDuplicatesQuery,
  SearchHit,
  SearchQuery,
  SimilarPage,
  SimilarRequest,
  VectorModels,
} from '../answers.ts';
import { download, type Download } from '../download.ts';
import { ClientError } from '../errors.ts';
import { jobPath, refusal, RestClient, type CreatedJob } from '../rest-client.ts';
import { givenToken, type TokenSource } from '../token-source.ts';
import type { Call } from '../transport.ts';
import { jobEvents, watchJob } from '../watch.ts';
import { sendFile, uploadPath, uriOf, type StoredMedium, type UploadOptions } from './media.ts';
import { pathWith, pagesOf, type Query } from './pages.ts';
import { Streams } from './streams.ts';

export class Client {
  /** Sends requests with retries. */
  readonly rest: RestClient;
  readonly streams: Streams;

  /** `url`: address of the server. `token`: an access token, an API key, or a source of tokens. */
  constructor(url: string, token: string | TokenSource) {
    this.rest = new RestClient(url, typeof token === 'string' ? givenToken(token) : token);
    this.streams = new Streams(this.rest);
  }

  /**
   * Runs a pipeline on a file or a URI and returns its detection document. A file that the server cannot read is uploaded.
   * @throws ClientError if the job ends without a document, or `signal` aborts; the job then continues
   */
  async analyze(
    medium: string,
    pipelineName: string,
    jobProperties: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<DetectionDocument> {
    const mediaUri = await uriOf(this.rest, medium, signal);
    const { jobId } = await this.createJob({ media: [{ mediaUri }], pipelineName, jobProperties });
    await this.wait(jobId, signal);
    return this.document(jobId);
  }

  /** Returns the URI at which the server can read a file: that of the file itself, else that of an upload. */
  uriOf(medium: string, signal?: AbortSignal): Promise<string> {
    return uriOf(this.rest, medium, signal);
  }

  createJob(request: JobRequest, signal?: AbortSignal): Promise<CreatedJob> {
    return this.rest.createJob(request, signal);
  }

  /** Returns the state of a job, with all details. */
  job(id: string): Promise<JobInfo> {
    return this.rest.job(id);
  }

  /** Yields all matching jobs, newest first. Pages are requested as they are read. */
  async *jobs(query: ListJobsQuery = {}): AsyncGenerator<ListedJob> {
    for await (const page of pagesOf(this.rest, '/rest/jobs', query, 'before'))
      yield* page['jobs'] as readonly ListedJob[];
  }

  /** Waits until a job has ended with any status. @throws ClientError if `signal` aborts; the job then continues */
  wait(id: string, signal: AbortSignal = NEVER): Promise<JobInfo> {
    return watchJob(this.rest, id, { onEvent: () => undefined, signal });
  }

  /** Yields the changes of a job, from its current state until its end, or until the connection breaks. */
  jobEvents(id: string, signal: AbortSignal = NEVER): AsyncGenerator<JobEvent> {
    return jobEvents(this.rest, id, signal);
  }

  cancel(id: string): Promise<void> {
    return this.rest.cancel(id);
  }

  /** Deletes an ended job with its files. */
  async deleteJob(id: string): Promise<void> {
    await this.#done({ method: 'DELETE', path: jobPath(id) });
  }

  /** Returns the detection document of an ended job. @throws ClientError if it has none */
  async document(id: string): Promise<DetectionDocument> {
    const stream = await this.rest.document(id);
    if (stream === undefined) {
      const { jobStatus } = await this.job(id);
      throw new ClientError(`Job ${id} is ${jobStatus} and has no detection document.`);
    }
    return JSON.parse((await stream.toArray()).map(String).join('')) as DetectionDocument;
  }

  /** Writes another format of the document to a file: csv, vtt, srt, coco and others. */
  async export(id: string, format: string, to: string, mediaId?: number): Promise<void> {
    const media = mediaId === undefined ? undefined : String(mediaId);
    const stream = await this.rest.document(id, { format, media });
    if (stream === undefined) throw new ClientError(`Job ${id} has no detection document.`);
    await pipeline(stream, createWriteStream(`${to}.part`));
    await rename(`${to}.part`, to);
  }

  /** Downloads a file of a job by its `href` in the document. The same call resumes an interrupted download. */
  download(id: string, href: string, to: string): Promise<Download> {
    return download(this.rest, `${jobPath(id)}/${href}`, to);
  }

  /** Yields all hits. Pages are requested as they are read. */
  async *search(query: SearchQuery = {}): AsyncGenerator<SearchHit> {
    for await (const page of pagesOf(this.rest, '/rest/search', query, 'cursor'))
      yield* page['hits'] as readonly SearchHit[];
  }

  /** Returns the tracks most similar to a track, a vector, a picture or words. */
  async similar(request: SimilarRequest): Promise<SimilarPage> {
    return (await this.ask('POST', '/rest/search/similar', { body: request })) as SimilarPage;
  }

  /** Returns the models that can make a vector of a picture for `similar`. */
  async vectorModels(): Promise<VectorModels> {
    return (await this.ask('GET', '/rest/search/models')) as VectorModels;
  }

  /** Returns groups of pictures that are almost equal. */
  async duplicates(query: SearchDuplicatesQuery = {}): Promise<DuplicateGroups> {
    return (await this.ask('GET', '/rest/search/duplicates', { query: { ...query } })) as DuplicateGroups;
  }

  /** Yields the people whose faces look alike in all media. Pages are requested as they are read. */
  async *people(query: ListPeopleQuery = {}): AsyncGenerator<Person> {
    for await (const page of pagesOf(this.rest, '/rest/people', query, 'cursor'))
      yield* page['people'] as readonly Person[];
  }

  /** Yields the occurrences of a person, newest job first. */
  async *occurrences(id: string): AsyncGenerator<Occurrence> {
    const query: { readonly cursor?: string } = {};
    for await (const page of pagesOf(this.rest, personPath(id), query, 'cursor'))
      yield* page['tracks'] as readonly Occurrence[];
  }

  /** Names a person. Null removes the name. */
  async namePerson(id: string, name: string | null): Promise<Person> {
    return (await this.ask('PATCH', personPath(id), { body: { name } })) as Person;
  }

  /** Merges the other person into this one. */
  async mergePeople(id: string, other: string): Promise<Person> {
    return (await this.ask('POST', `${personPath(id)}/merge`, { body: { person: other } })) as Person;
  }

  /** Moves these tracks to a new person and returns it. */
  async splitPerson(id: string, tracks: PersonSplit['tracks']): Promise<Person> {
    return (await this.ask('POST', `${personPath(id)}/split`, { body: { tracks } })) as Person;
  }

  async forgetPerson(id: string): Promise<void> {
    await this.#done({ method: 'DELETE', path: personPath(id) });
  }

  /** Uploads a file, a large one in pieces. `mediaUri` of the answer is for jobs. @throws IncompleteError, which can be resumed */
  upload(file: string, options: UploadOptions = {}): Promise<StoredMedium> {
    return sendFile(this.rest, file, options);
  }

  async deleteUpload(id: string): Promise<void> {
    await this.#done({ method: 'DELETE', path: uploadPath(id) });
  }

  async pipelines(): Promise<readonly Pipeline[]> {
    return (await this.ask('GET', '/rest/pipelines')) as readonly Pipeline[];
  }

  async algorithms(): Promise<readonly Algorithm[]> {
    return (await this.ask('GET', '/rest/algorithms')) as readonly Algorithm[];
  }

  /** Creates an API key. `key` is only in this answer. An API key cannot create further keys. */
  async createKey(request: ApiKeyRequest): Promise<NewApiKey> {
    return (await this.ask('POST', '/rest/keys', { body: request })) as NewApiKey;
  }

  async keys(): Promise<readonly ApiKey[]> {
    return ((await this.ask('GET', '/rest/keys')) as { readonly keys: readonly ApiKey[] }).keys;
  }

  async revokeKey(id: string): Promise<void> {
    await this.#done({ method: 'DELETE', path: `/rest/keys/${encodeURIComponent(id)}` });
  }

  async info(): Promise<Info> {
    return (await this.ask('GET', '/rest/info')) as Info;
  }

  /** Sends any other request and returns the JSON of a successful answer. /rest/openapi.json lists all paths. */
  async ask(
    method: Call['method'],
    path: string,
    { query = {}, body }: { readonly query?: Query; readonly body?: unknown } = {},
  ): Promise<unknown> {
    const answer = await this.rest.ask({
      method,
      path: pathWith(path, query),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer.status < 300 && answer.text === '' ? undefined : this.rest.good(answer);
  }

  async #done(call: Call): Promise<void> {
    const answer = await this.rest.ask(call);
    if (answer.status >= 300) throw refusal(answer);
  }
}

const personPath = (id: string): string => `/rest/people/${encodeURIComponent(id)}`;

const NEVER = new AbortController().signal;
