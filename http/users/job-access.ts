import type { Context } from 'koa';
import {
  isSeen,
  ownerOf,
  sightOf,
  type Owner,
  type Sight,
  type Visibility,
} from '../../domain/users/owner.ts';
import { HttpError } from '../routing/errors.ts';
import { isAdmin, userOf } from '../access/bearer.ts';

export type JobKind = 'BATCH_JOB' | 'STREAMING_JOB';

export interface JobAccessDeps {
  /** JOB_VISIBILITY. */
  readonly visibility: Visibility;
  /** Reads the stored owner of a job. Returns undefined if there is no such job. */
  findJob(kind: JobKind, number: number): Promise<{ readonly owner?: Owner } | undefined>;
}

/** Decides which jobs users may see and change. An ADMIN may see and change all. */
export class JobAccess {
  readonly #deps: JobAccessDeps;

  constructor(deps: JobAccessDeps) {
    this.#deps = deps;
  }

  /** Returns whose jobs the user may see. */
  sight(ctx: Context): Sight {
    return isAdmin(ctx) ? 'ALL' : sightOf(ownerOf(userOf(ctx)), this.#deps.visibility);
  }

  /**
   * Returns the owner of a new job.
   * @throws HttpError 403 if only an ADMIN could see the job
   */
  newOwner(ctx: Context): Owner | undefined {
    const owner = ownerOf(userOf(ctx));
    if (owner === undefined && this.sight(ctx) !== 'ALL') throw new HttpError('owner-unknown', NAMELESS_USER);
    return owner;
  }

  /**
   * HIDDEN: the user must not learn that the job exists. FOREIGN: the job is visible but belongs to another user. Unknown jobs are granted.
   */
  async judge(
    ctx: Context,
    kind: JobKind,
    number: number,
    wanted: 'SEE' | 'CHANGE',
  ): Promise<'GRANTED' | 'HIDDEN' | 'FOREIGN'> {
    if ((wanted === 'SEE' && this.#deps.visibility === 'all') || isAdmin(ctx)) return 'GRANTED';
    const job = await this.#deps.findJob(kind, number);
    if (job === undefined) return 'GRANTED';
    if (!isSeen(job.owner, this.sight(ctx))) return 'HIDDEN';
    const isOwn = job.owner === undefined || job.owner.user === ownerOf(userOf(ctx))?.user;
    return wanted === 'SEE' || isOwn ? 'GRANTED' : 'FOREIGN';
  }
}

const NAMELESS_USER =
  'The token does not say who its user is (sub, azp or client_id), so the job would belong to nobody. Use a token with a subject.';
