import type { Logger } from '../config/logger.ts';
import { NoToken } from '../egress/service-token.ts';
import { ServerRefusal } from './server-exchange.ts';

/** True if the server refuses the node. */
export const isTurnedAway = (error: unknown): error is ServerRefusal =>
  error instanceof ServerRefusal && [400, 401, 403, 404].includes(error.status);

/** Logs why there is no connection: once for each cause in a row. */
export class ConnectionProblem {
  readonly #logger: Logger;
  #said = '';

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  say(error: Error): void {
    const reason = error.message;
    const isKnown = isTurnedAway(error) || error instanceof NoToken;
    const trouble = isKnown ? reason : 'the server is away';
    if (trouble === this.#said) return;
    this.#said = trouble;
    if (isTurnedAway(error)) this.#logger.error({}, `The server refuses the node: ${reason}`);
    else if (error instanceof NoToken)
      this.#logger.warn({ reason }, 'the node gets no token; it continues with its present work');
    else
      this.#logger.warn({ reason }, 'the server cannot be reached; the node continues with its present work');
  }

  over(): void {
    this.#said = '';
  }
}
