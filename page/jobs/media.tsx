import { fileName } from '../kit/format.ts';
import type { JobInfo } from './types.ts';

/** The media of a job. */
export function MediaList({ job: { mediaUris } }: { readonly job: JobInfo }) {
  return (
    <section>
      <h2>Media</h2>
      <ol class="media">
        {mediaUris.map((uri, n) => (
          <li key={n} title={uri}>
            {fileName(uri)}
          </li>
        ))}
      </ol>
    </section>
  );
}
