/**
 * Shared by all sections of the conformance suite: one service, its clients, and a record of tested rows and
 * statuses.
 */
import { expect } from 'chai';
import type { z } from 'zod';
import { Receiver } from '../../support/servers/receiver.ts';
import { ServiceWithRoles } from '../../support/roles.ts';
import { sampleUri, type Answer, type JobRequest, type Service } from '../../support/processes/service.ts';
import { CHAPTER_4, ROWS, type Row, type StatusOf } from './support/table.ts';

export const IMAGE = sampleUri('hello-world.png');
export const VIDEO = sampleUri('h264_aac.mp4');
export const LIGHT: JobRequest = { media: [IMAGE], pipelineName: 'LIGHT PIPELINE' };
/** A job that no component works on, for tests that only need it to be accepted. */
export const TAKEN: JobRequest = { ...LIGHT, pipelineName: 'ABSENT PIPELINE' };
/** A job that runs until it is cancelled, because its component does not exist. */
export const ENDLESS = TAKEN;

/** Callbacks may go to loopback, where the receivers of the tests are. Delays are short. */
const SETTINGS = {
  FETCH_PRIVATE: 'true',
  CALLBACK_PRIVATE: 'true',
  SERVICE_STOP_MS: '300',
};

export class Suite {
  readonly #asked = new Map<Row, Set<number>>();
  #roles: ServiceWithRoles | undefined;
  #receiver: Receiver | undefined;
  #ended = '';
  #running = '';

  async start(): Promise<void> {
    this.#receiver = await Receiver.start();
    this.#roles = await ServiceWithRoles.here(SETTINGS);
    this.#running = await this.service.submit({ ...ENDLESS, callbackURL: this.receiver.url });
    this.#ended = await this.service.submit({
      ...LIGHT,
      media: [
        { mediaUri: IMAGE, properties: { QUALITY_SELECTION_THRESHOLD: '0' } },
        { mediaUri: VIDEO, frameRanges: [{ start: 2, stop: 5 }] },
      ],
      externalId: 'case 7',
      priority: 7,
      jobProperties: { LABEL: 'of the job' },
      algorithmProperties: { LIGHT: { LABEL: 'of the algorithm' } },
      callbackURL: `${this.receiver.url}/done?a=b`,
    });
    await this.service.terminal(this.#ended);
  }

  async close(): Promise<void> {
    await this.#roles?.close();
    await this.#receiver?.close();
  }

  get roles(): ServiceWithRoles {
    if (this.#roles === undefined) throw new Error('The suite was not started.');
    return this.#roles;
  }

  get service(): Service {
    return this.roles.service;
  }

  /** The receiver of the callbacks of jobs. */
  get receiver(): Receiver {
    if (this.#receiver === undefined) throw new Error('The suite was not started.');
    return this.#receiver;
  }

  /** Id of a COMPLETE job that was created with every optional field. */
  get ended(): string {
    return this.#ended;
  }

  /** Id of a job that runs during all tests. */
  get running(): string {
    return this.#running;
  }

  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.service.ask(method, path, body);
  }

  /** Sends a request and expects this status with a body of this shape. */
  async gets<T>(
    [method, path, body]: readonly [method: string, path: string, body?: unknown],
    status: number,
    shape: z.ZodType<T>,
  ): Promise<T> {
    return parseShape(await this.ask(method, path, body), status, shape);
  }

  /** Sends a request and expects this status with an empty body. */
  async getsNothing(
    [method, path, body]: readonly [method: string, path: string, body?: unknown],
    status: number,
  ): Promise<void> {
    const answer = await this.ask(method, path, body);
    expect([answer.status, answer.text], `${method} ${path}`).to.deep.equal([status, '']);
  }

  /**
   * Defines a test for one status of a row. The title contains the row, the status and the rule of the
   * specification.
   */
  proves<R extends Row>(row: R, status: StatusOf<R>, what: string, test: () => Promise<unknown>): void {
    this.#note(row, status);
    it(`${row}: ${status} ${what}`, test);
  }

  /** Statuses of chapter 4 that no test has received. */
  get forgotten(): readonly string[] {
    return ROWS.flatMap((row) =>
      CHAPTER_4[row].filter((status) => !this.#asked.get(row)?.has(status)).map((one) => `${row}: ${one}`),
    );
  }

  #note(row: Row, status: number): void {
    this.#asked.set(row, (this.#asked.get(row) ?? new Set()).add(status));
  }
}

/** Returns the body of an answer, which must have this status and shape. */
export function parseShape<T>(answer: Answer, status: number, shape: z.ZodType<T>): T {
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.headers.get('content-type')).to.match(/^application\/json(;|$)/);
  const { success, data, error } = shape.safeParse(answer.body);
  if (success) return data;
  throw new Error(`${error.message}\nThe body was ${answer.text}`);
}
