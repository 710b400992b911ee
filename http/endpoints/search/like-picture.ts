import type { Context } from 'koa';
import type { AskedVector, PictureVector, PictureVectors } from '../../../actors/search/picture-vectors.ts';
import { userOf } from '../../access/bearer.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { leftBy } from '../../steps/client.ts';
import type { JobGuard } from '../../users/job-step.ts';
import type { UserLimits } from '../../users/user-limits.ts';
import { codeOfRefusal } from '../jobs/job-creation.ts';
import type { SearchDeps } from './search.ts';

export interface PictureDeps extends SearchDeps, JobGuard {
  /** Undefined if SEARCH is false. */
  readonly pictureVectors: Pick<PictureVectors, 'make' | 'models'> | undefined;
  readonly userLimits: UserLimits;
}

/** Returns the vector of a picture or a text. A job creates the vector, and counts as a job of the user. */
export async function likePicture(
  asked: AskedVector,
  ctx: Context,
  { pictureVectors, jobAccess, userLimits }: PictureDeps,
): Promise<PictureVector> {
  const user = {
    user: userOf(ctx).name,
    owner: jobAccess.newOwner(ctx),
    priority: userLimits.priority(ctx, undefined),
    sight: jobAccess.sight(ctx),
  };
  const left = leftBy(ctx.res);
  const made = await userLimits.within(ctx, 'jobs', () => pictureVectors!.make(asked, user, left));
  if ('busy' in made) throw overloadError(made.busy);
  switch (made.kind) {
    case 'vector':
      return made;
    case 'refused':
      throw new HttpError(codeOfRefusal(made.reason), made.message, { status: 400 });
    case 'noModel':
      throw new HttpError('vectors-not-found', noModel(asked.model, made.complete));
    case 'noVector':
      throw new HttpError(
        'picture-without-vector',
        `The model made no vector of the ${'words' in asked ? 'words' : 'picture'}. ${made.why ?? ''}`.trim(),
      );
    case 'slow':
    case 'overloaded':
      throw overloadError(made.message);
  }
}

function noModel(model: string | undefined, complete: boolean): string {
  const whose = model === undefined ? '' : ` of the model "${model}"`;
  const what = complete
    ? 'Run a model that makes vectors over some media first.'
    : 'The index does not have all documents yet.';
  return `The search has no vectors${whose}. ${what}`;
}
