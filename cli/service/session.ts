import type { Service } from './service.ts';
import { UnreachableError } from '../../client/errors.ts';

/**
 * The service of a command. If the first service ends (for example, that of another command), a new one is opened. Accepted work is stored
 * in DATA_DIR and resumes in the new service.
 */
export class Session {
  readonly #open: () => Promise<Service>;
  readonly #onLost: (() => void) | undefined;
  #service: Service | undefined;

  /** `onLost` is called before another service is opened. Without `onLost`, the end of the service is an error. */
  constructor(open: () => Promise<Service>, onLost?: () => void) {
    this.#open = open;
    this.#onLost = onLost;
  }

  async use<T>(work: (service: Service) => Promise<T>): Promise<T> {
    const service = (this.#service ??= await this.#open());
    try {
      return await work(service);
    } catch (error) {
      if (!(error instanceof UnreachableError) || service.embedded || this.#onLost === undefined) throw error;
      this.#onLost();
      this.#service = await this.#open();
      return work(this.#service);
    }
  }

  async close(): Promise<void> {
    await this.#service?.stop();
  }
}
