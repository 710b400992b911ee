import { urlOf } from '../kit/api.ts';
import type { Medium } from './types.ts';

/** Forms of what was found that are for one medium. */
const FORMS = { cvat: 'CVAT XML', vtt: 'WebVTT', srt: 'SubRip', csv: 'CSV', ndjson: 'NDJSON' };

/** The medium, and what was found in it in forms that other tools read. */
export function Downloads({
  job,
  base,
  medium: { mediaId },
}: {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
}) {
  const path = `rest/jobs/${encodeURIComponent(job)}/output/detection`;
  return (
    <p class="links">
      <a href={urlOf(base)} download>
        Medium
      </a>
      {Object.entries(FORMS).map(([format, name]) => (
        <a key={format} href={urlOf(path, { format, media: mediaId })} download>
          {name}
        </a>
      ))}
    </p>
  );
}
