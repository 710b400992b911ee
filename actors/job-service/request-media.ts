/** Checks whether the pipeline of a request can process its media, as far as the request states their types. */
import { mimeInRequest, unacceptedMedium } from '../../domain/plan/accepted-media.ts';
import { levelsOf, type JobConfiguration } from '../../domain/job/job-config-hash.ts';
import type { PlannedAction } from '../../domain/plan.ts';
import { booleanOf, propertyLookup } from '../../domain/properties/properties.ts';
import type { Properties } from '../../domain/types.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import type { JobRequestMedium } from './job-request.ts';

/** The reasons why the pipeline finds nothing in these media, one for each. Undefined if it may find something. */
export async function unacceptedMedia(
  job: JobConfiguration,
  media: readonly JobRequestMedium[],
): Promise<readonly (string | undefined)[]> {
  const known = new Map<PlannedAction, (media: Properties, name: string) => string | undefined>();
  const skips = (action: PlannedAction, { properties }: JobRequestMedium): boolean => {
    const lookup = known.get(action) ?? propertyLookup(levelsOf(job, action), 'VIDEO');
    known.set(action, lookup);
    return booleanOf({ [SKIP]: lookup(properties, SKIP) ?? '' }, SKIP);
  };
  return new TimeSlices().map(media, (medium) => {
    const mime = mimeInRequest(medium);
    return mime === undefined
      ? undefined
      : unacceptedMedium(job.plan, mime, (action) => skips(action, medium));
  });
}

/** Media of a request are not derivative media. */
const SKIP = 'DERIVATIVE_MEDIA_ONLY';

/** Warnings of a job that can process only some of its media. */
export function mediaWarnings(unaccepted: readonly (string | undefined)[]): readonly string[] {
  const all = unaccepted.flatMap((reason, index) =>
    reason === undefined ? [] : [`media[${index}]: ${reason}`],
  );
  const more = all.length - MOST_WARNINGS;
  return more > 0
    ? [...all.slice(0, MOST_WARNINGS), `${more} more media have a type that is not processed.`]
    : all;
}

const MOST_WARNINGS = 20;
