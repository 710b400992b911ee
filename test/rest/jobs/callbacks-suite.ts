/**
 * Shared by tests of callbacks: a service with receivers, and a server that dies at the last commit of a job.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SingleJobInfo } from '../../../actors/views/jobs/job-info.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import type { DeathWish } from '../../support/processes/server-main.ts';
import { sampleUri, Service, type JobRequest } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

export const LIGHT = {
  media: [sampleUri('hello-world.png')],
  pipelineName: 'LIGHT PIPELINE',
  jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' },
} as const;
/** A receiver is reported as failing after three attempts. */
const QUICK = { DELIVERY_FIRST_DELAY_MS: '50', DELIVERY_MAX_DELAY_MS: '200', DELIVERY_QUICK_ATTEMPTS: '3' };

/** Use in a `describe`: one service, and a new receiver for each test. */
export class CallbackSuite {
  #service: Service | undefined;
  readonly #receivers: Receiver[] = [];

  constructor() {
    before(async () => {
      this.#service = await Service.here(QUICK);
    });
    after(() => this.#service?.close());
    beforeEach(() => this.another());
    afterEach(() => Promise.all(this.#receivers.splice(0).map((each) => each.close())));
  }

  get service(): Service {
    return this.#service!;
  }

  /** The first receiver of the current test. */
  get receiver(): Receiver {
    return this.#receivers[0]!;
  }

  async another(manner = answer(200)): Promise<Receiver> {
    const started = await Receiver.start(manner);
    this.#receivers.push(started);
    return started;
  }

  submit(path: string, more: Partial<JobRequest> = {}): Promise<string> {
    return this.service.submit({ ...LIGHT, callbackURL: `${this.receiver.url}${path}`, ...more });
  }

  async status(id: string, wanted: string | RegExp): Promise<SingleJobInfo> {
    const fits = (job: SingleJobInfo | undefined) =>
      job !== undefined &&
      (typeof wanted === 'string' ? job.callbackStatus === wanted : wanted.test(job.callbackStatus));
    return (await until(`callbackStatus of ${id} is ${wanted}`, () => this.service.job(id), fits))!;
  }

  documentUri(id: string): string {
    return pathToFileURL(join(this.service.dataDir, 'output-objects', `${id}.1`, 'detection.json')).href;
  }
}

/**
 * Runs a job whose last commit kills the server, and starts the next server. Returns the job id. The server
 * must run in its own process.
 */
export async function lastOfItsServer(
  service: Service,
  when: DeathWish['when'],
  request: JobRequest,
): Promise<string> {
  await service.dieAt({ at: Number.MAX_SAFE_INTEGER, when });
  const id = await service.submit(request);
  await service.waitForExit();
  await service.startHere();
  return id;
}
