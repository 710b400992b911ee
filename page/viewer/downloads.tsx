import { urlOf } from '../kit/api.ts';
import { ExportMenu, offersOfMedium } from '../kit/exports.tsx';
import type { Medium } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** The medium, and what was found in it in forms that other tools read. Of a job that runs there are none yet. */
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
