/**
 * Shared by the tests of the archive: a running service, an archive for each test, and jobs that report to
 * it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ArchiveServer, type ArchiveRequest } from '../../support/servers/archive-server.ts';
import { Receiver } from '../../support/servers/receiver.ts';
import { sampleUri, Service, type JobRequest } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

export const HELLO = sampleUri('hello-world.png');
export const TEXT = sampleUri('gen_text.png');
/** Pictures of detections are not needed here. */
const WITHOUT_PICTURES = { ARTIFACT_EXTRACTION_POLICY: 'NONE' };

export const sha256 = (file: string | URL) => createHash('sha256').update(readFileSync(file)).digest('hex');
export const hashOf = (uri: string) => sha256(fileURLToPath(uri));
export const numberOf = (id: string) => Number(id.replace('test-host-', ''));

interface Posted {
  readonly assertionId: string;
  readonly dataObject: Readonly<Record<string, unknown>>;
}
export const bodyOf = ({ body }: ArchiveRequest) => body as Posted;
export const mediumOf = ({ query }: ArchiveRequest) => query.get('sha256Hash') ?? '';

/** The medium with the metadata that the archive check needs. */
export const withMetadata = (mediaUri: string) => ({
  mediaUri,
  metadata: { MEDIA_HASH: hashOf(mediaUri), MIME_TYPE: 'image/png' },
});

export interface Created {
  readonly jobId: string;
  readonly coreResponse: { readonly responseCode: number; readonly message: string | null };
  readonly archiveCheckStatus: string;
  readonly outputObjectUri?: string;
}

export class ArchiveSuite {
  #service: Service | undefined;
  #archive: ArchiveServer | undefined;
  /** Closed after each test. */
  readonly others: { close(): Promise<void> }[] = [];

  /** Use in a `describe`: a new archive for each test. */
  constructor() {
    before(async () => {
      this.#service = await Service.openShared();
    });
    after(() => this.#service?.close());
    beforeEach(async () => {
      this.#archive = await ArchiveServer.start();
    });
    afterEach(async () => {
      for (const each of [this.archive, ...this.others.splice(0)]) await each.close();
    });
  }

  get service(): Service {
    return this.#service!;
  }

  get archive(): ArchiveServer {
    return this.#archive!;
  }

  job(more: Partial<JobRequest> = {}, properties: Readonly<Record<string, string>> = {}): JobRequest {
    return {
      media: [HELLO],
      pipelineName: 'LIGHT PIPELINE',
      ...more,
      jobProperties: { ARCHIVE_URL: this.archive.url, ...WITHOUT_PICTURES, ...properties },
    };
  }

  async createJob(request: JobRequest): Promise<Created> {
    const { status, body } = await this.service.create(request);
    expect(status).to.equal(201);
    return body as Created;
  }

  /** Waits until the report to the archive has succeeded or failed for good. */
  async waitUntilSettled(id: string): Promise<string> {
    await this.service.terminal(id);
    const look = async () => (await this.service.job(id))!.archiveStatus;
    return until(`the posts of job ${id} are settled`, look, (status) => status !== 'IN PROGRESS');
  }

  /** Runs a job whose results are then stored in the archive. */
  async runArchived(request: JobRequest): Promise<string> {
    const id = await this.service.submit(request);
    expect(await this.waitUntilSettled(id)).to.equal('COMPLETE');
    return id;
  }

  async receiver(...given: Parameters<typeof Receiver.start>): Promise<Receiver> {
    const started = await Receiver.start(...given);
    this.others.push(started);
    return started;
  }

  async repost(...ids: readonly number[]) {
    const { status, body } = await this.service.ask('POST', '/rest/jobs/archiverepost', ids);
    return { status, body };
  }
}
