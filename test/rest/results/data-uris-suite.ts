/** Shared by the tests of data: URIs: a service and its folder of request files. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pictureUri } from '../../support/media/data-uri.ts';
import type { DeathWish } from '../../support/processes/server-main.ts';
import { Service } from '../../support/processes/service.ts';

export const LONG = pictureUri(60, 60);
export const OTHER = pictureUri(61, 61);
export const SHORT = pictureUri(5, 5);
export const CUT = 'data:image/bmp;base64,<truncated>';
export const LIGHT = {
  pipelineName: 'LIGHT PIPELINE',
  jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' },
};
const DAYS_MS = 2 * 24 * 60 * 60 * 1000;

type Environment = Readonly<Record<string, string>>;

export class DataUriSuite {
  #service: Service | undefined;
  /** Files of earlier tests. */
  #others: readonly string[] = [];

  /** Use in a `describe`: one service for all its tests. */
  constructor(env: Environment) {
    before(async () => {
      this.#service = await Service.here({ CLEANING_MS: '50', ...env });
    });
    after(() => this.#service?.close());
    beforeEach(async () => {
      this.#others = await this.service.files('requests');
    });
  }

  get service(): Service {
    return this.#service!;
  }

  /** Files of the current test. */
  async requests(): Promise<readonly string[]> {
    return (await this.service.files('requests')).filter((name) => !this.#others.includes(name));
  }

  /** Returns the newest job of the list. */
  async listNewest() {
    const { body } = await this.service.ask('GET', '/rest/jobs?limit=1');
    return (body as { jobs: readonly { jobId: string; mediaUris: readonly string[] }[] }).jobs[0]!;
  }

  async restart(env: Environment): Promise<void> {
    await this.service.stop();
    await this.service.startHere(env);
  }

  async paths(id: string): Promise<readonly string[]> {
    return (await this.service.document(id)).media.map(({ path }) => path);
  }

  /** Makes all files old by their timestamps. */
  async age(): Promise<void> {
    const then = new Date(Date.now() - DAYS_MS);
    for (const name of await this.service.files('requests'))
      utimesSync(join(this.service.dataDir, 'requests', name), then, then);
  }

  /**
   * Makes the server die at the commit that stores a job with this medium. It must run in its own process.
   */
  async dies(when: DeathWish['when'], mediaUri: string): Promise<void> {
    await this.service.dieAt({ at: 1, when });
    await this.service.create({ media: [mediaUri], ...LIGHT }).catch(() => undefined);
    await this.service.waitForExit();
  }
}
