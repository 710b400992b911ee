import { urlOf } from '../kit/api.ts';
import { Menu } from '../kit/menu.tsx';
import type { Medium } from './types.ts';

/** Forms of what was found that are for one medium. */
const FORMS = { cvat: 'CVAT XML', vtt: 'WebVTT', srt: 'SubRip', csv: 'CSV', ndjson: 'NDJSON' };

/** The service refuses subtitles of a medium without cues, and boxes of one without pictures. */
function isOffered(format: string, { cues, mediaType }: Medium): boolean {
  if (format === 'vtt' || format === 'srt') return cues > 0;
  return format !== 'cvat' || mediaType === 'VIDEO' || mediaType === 'IMAGE';
}

/** The medium, and what was found in it in forms that other tools read. */
export function Downloads({
  job,
  base,
  medium,
}: {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
}) {
  const path = `rest/jobs/${encodeURIComponent(job)}/output/detection`;
  const offered = Object.entries(FORMS).filter(([format]) => isOffered(format, medium));
  return (
    <Menu label="Export" button={<span class="button">Export</span>}>
      <a href={urlOf(base)} download>
        Original file
      </a>
      {offered.map(([format, name]) => (
        <a key={format} href={urlOf(path, { format, media: medium.mediaId })} download>
          {name}
        </a>
      ))}
    </Menu>
  );
}
