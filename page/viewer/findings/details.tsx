/** Parts of a finding that the list and the grid share. */
import { urlOf } from '../../kit/api.ts';
import { timeText } from '../../kit/format.ts';
import { TEXT } from '../../kit/text.ts';
import type { Medium, Track } from '../../kit/findings/types.ts';
import { SimilarLink } from './similar-link.tsx';

export const hasTime = ({ mediaType }: Pick<Medium, 'mediaType'>) =>
  mediaType === 'VIDEO' || mediaType === 'AUDIO';

/** Returns the time, the page and the confidence of a track as texts. */
export function factsOf(
  { startMs, stopMs, confidence, properties }: Track,
  isTimed: boolean,
): readonly string[] {
  const page = properties['PAGE_NUM'];
  return [
    ...(isTimed ? [`${timeText(startMs)} – ${timeText(stopMs)}`] : []),
    ...(page === undefined ? [] : [TEXT.viewer.pageInSentence(page)]),
    ...(confidence >= 0 ? [`${Math.round(confidence * 100)} %`] : []),
  ];
}

/** Returns the address of an artifact, which ends with the last five parts of artifactPath. */
export function artifactUrl(job: string, artifact: string | null): string | undefined {
  const parts = artifact?.split('/').slice(-5);
  if (parts?.length !== 5) return undefined;
  return urlOf(`rest/jobs/${encodeURIComponent(job)}/artifacts/${parts.map(encodeURIComponent).join('/')}`);
}

/** A link to similar findings, and the properties of a selected track. */
export function TrackDetails({
  job,
  medium,
  track,
}: {
  readonly job: string;
  readonly medium: Medium;
  readonly track: Track;
}) {
  // The numbers of a vector are not useful for readers.
  const { FEATURE: _, ...properties } = track.properties;
  return (
    <>
      <SimilarLink {...{ job, medium, track }} key={track.id} />
      {Object.keys(properties).length > 0 && (
        <dl class="facts">
          {Object.entries(properties).map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
