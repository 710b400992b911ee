import type { Context, Middleware } from 'koa';
import type { UserPlaces } from '../../actors/requests/user-places.ts';
import { LIVE_JOBS } from '../../actors/batch-job/state/indexes.ts';
import { LIVE_STREAMS } from '../../actors/streaming-job/indexes.ts';
import type { UserLimit } from '../../config/schema/user-groups.ts';
import { ownerOf } from '../../domain/users/owner.ts';
import { answer, HttpError } from '../routing/errors.ts';
import { isAdmin, userOf } from '../access/bearer.ts';

export interface UserLimitDeps {
  /** Limits from the setting USER_LIMITS. */
  readonly limits: Readonly<Partial<Record<UserLimit, number>>>;
  /** The setting MAX_USER_PRIORITY. */
  readonly maxPriority: number;
  /** Priority of jobs without a requested priority. */
  readonly defaultPriority: number;
  readonly places: UserPlaces;
  /** Time in milliseconds from a monotonic clock. */
  steady(): number;
}

const WINDOW_MS = 60_000;
/** Seconds in Retry-After for limits whose end is unknown. */
const TRY_AGAIN_S = 10;
/** Maximum number of users whose requests are counted. */
const MAX_COUNTED = 100_000;
const INDEXES = { jobs: LIVE_JOBS, streams: LIVE_STREAMS } as const;
const WORDS: Readonly<Record<UserLimit, string>> = {
  jobs: 'live jobs',
  streams: 'live streaming jobs',
  uploads: 'uploads at a time',
  requests: 'requests a minute',
};

/** Limits of users without the role ADMIN. A user whose token has no subject is counted by name. */
export class UserLimits {
  readonly #deps: UserLimitDeps;
  readonly #uploads = new Map<string, number>();
  #requests = new Map<string, number>();
  #windowEnds = 0;

  constructor(deps: UserLimitDeps) {
    this.#deps = deps;
  }

  /** Creates a job. @param body of the 429 answer @throws HttpError 429 if the user has reached the limit */
  async within<T>(
    ctx: Context,
    what: 'jobs' | 'streams',
    work: () => Promise<T>,
    body?: (message: string) => object,
  ): Promise<T> {
    const most = this.#most(ctx, what);
    if (most === undefined) return await work();
    const made = await this.#deps.places.within(nameOf(ctx), INDEXES[what], most, work);
    if (made === 'FULL') throw refuse(ctx, { what, most, seconds: TRY_AGAIN_S }, body);
    return made;
  }

  /** Accepts an upload. @throws HttpError 429 if the user has reached the limit of concurrent uploads to this server */
  async withinUploads<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
    const most = this.#most(ctx, 'uploads');
    if (most === undefined) return await work();
    const user = nameOf(ctx);
    const count = this.#uploads.get(user) ?? 0;
    if (count >= most) throw refuse(ctx, { what: 'uploads', most, seconds: TRY_AGAIN_S });
    this.#uploads.set(user, count + 1);
    try {
      return await work();
    } finally {
      const left = this.#uploads.get(user)! - 1;
      if (left === 0) this.#uploads.delete(user);
      else this.#uploads.set(user, left);
    }
  }

  /** A step after authentication: 429 if the user has reached the limit of requests per minute to this server. */
  readonly countRequests: Middleware = (ctx, next) => {
    const most = this.#most(ctx, 'requests');
    if (most === undefined) return next();
    const now = this.#deps.steady();
    if (now >= this.#windowEnds || this.#requests.size >= MAX_COUNTED) {
      this.#requests = new Map();
      this.#windowEnds = now + WINDOW_MS;
    }
    const user = nameOf(ctx);
    const count = (this.#requests.get(user) ?? 0) + 1;
    this.#requests.set(user, count);
    const seconds = Math.ceil((this.#windowEnds - now) / 1_000);
    if (count > most) return answer(ctx, refuse(ctx, { what: 'requests', most, seconds }));
    tell(ctx, { what: 'requests', most, seconds }, most - count);
    return next();
  };

  /** Returns why the user must not request this priority. Returns undefined if the user may. */
  refusedPriority(ctx: Context, wanted: number | undefined): string | undefined {
    const { maxPriority } = this.#deps;
    if (isAdmin(ctx) || wanted === undefined || wanted <= maxPriority) return undefined;
    return `The priority is ${wanted}, but a user without the role ADMIN may use at most ${maxPriority} (MAX_USER_PRIORITY).`;
  }

  /** Returns the priority of a job: the requested one, or the default, limited to the user's maximum. */
  priority(ctx: Context, wanted: number | undefined): number | undefined {
    const { maxPriority, defaultPriority } = this.#deps;
    return wanted ?? (isAdmin(ctx) || maxPriority >= defaultPriority ? undefined : maxPriority);
  }

  #most(ctx: Context, what: UserLimit): number | undefined {
    return isAdmin(ctx) ? undefined : this.#deps.limits[what];
  }
}

interface Reached {
  readonly what: UserLimit;
  readonly most: number;
  /** Seconds after which the limit is, or may be, no longer reached. */
  readonly seconds: number;
}

function refuse(ctx: Context, reached: Reached, body: (message: string) => object = () => ({})): HttpError {
  tell(ctx, reached, 0);
  const { what, most, seconds } = reached;
  const message = `You have reached the limit of ${most} ${WORDS[what]} (USER_LIMITS). Try again in ${seconds} seconds.`;
  return new HttpError('limit-reached', message, { body: body(message), retryAfterSeconds: seconds });
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
function tell(ctx: Context, { what, most, seconds }: Reached, left: number): void {
  const window = what === 'requests' ? `;w=${WINDOW_MS / 1_000}` : '';
  ctx.set('RateLimit-Policy', `"${what}";q=${most}${window}`);
  ctx.set('RateLimit', `"${what}";r=${left};t=${seconds}`);
}

const nameOf = (ctx: Context): string => ownerOf(userOf(ctx))?.user ?? userOf(ctx).name;
