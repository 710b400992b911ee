import type { Context } from 'koa';
import type { Logger } from './logger.ts';

const MINUTE_MS = 60_000;
/** Maximum number of characters shown of a text that a client chose. */
const SHOWN = 200;

const MESSAGES: Readonly<Record<number, string>> = { 401: 'a token was refused', 403: 'a role is missing' };

/** Logs each refused token, failed login and missing role. A limit per minute protects the disk from attackers. Tokens are never logged. */
export class Refusals {
  readonly #logger: Logger;
  readonly #aMinute: number;
  readonly #clock: () => number;
  #since = -Infinity;
  #told = 0;
  #untold = 0;

  constructor(logger: Logger, aMinute: number, clock: () => number) {
    this.#logger = logger;
    this.#aMinute = aMinute;
    this.#clock = clock;
  }

  tell(ctx: Context, status: 400 | 401 | 403 | 503, reason: string, user?: string): void {
    this.#newMinute();
    if (this.#told >= this.#aMinute) {
      this.#untold += 1;
      return;
    }
    this.#told += 1;
    const { method, ip } = ctx;
    this.#logger.info(
      {
        status,
        reason: reason.slice(0, SHOWN),
        ...(user === undefined ? {} : { user }),
        method,
        path: ctx.path.slice(0, SHOWN),
        ip,
        requestId: (ctx.state as { requestId?: string }).requestId,
      },
      MESSAGES[status] ?? 'a login failed',
    );
  }

  #newMinute(): void {
    const now = this.#clock();
    if (now - this.#since < MINUTE_MS && now >= this.#since) return;
    if (this.#untold > 0)
      this.#logger.warn(
        { refused: this.#untold, aMinute: this.#aMinute },
        'more tokens were refused than are logged',
      );
    this.#since = now;
    this.#told = 0;
    this.#untold = 0;
  }
}
