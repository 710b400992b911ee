import { urlOf } from '../kit/api.ts';
import { ExportMenu, offersOfMedium } from '../kit/exports.tsx';
import type { Medium } from '../kit/findings/types.ts';
import { TEXT } from '../kit/text.ts';

/** Downloads of the medium and of its results in several formats. A running job has no results to download. */
export function Downloads({
  job,
  base,
  medium,
}: {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
}) {
  return (
    <ExportMenu
      path={`rest/jobs/${encodeURIComponent(job)}/output/detection`}
      query={{ media: medium.mediaId }}
      offers={medium.partial === undefined ? offersOfMedium(medium) : []}
      first={{ href: urlOf(base), name: TEXT.viewer.originalFile }}
    />
  );
}
