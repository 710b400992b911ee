/** The text of a track as a subtitle. */
import type { FoundMedium, FoundTrack } from '../document/findings.ts';

/** True for sounds and videos, because only they have times for cues. */
export const hasTimes = ({ mediaType }: FoundMedium) => mediaType === 'VIDEO' || mediaType === 'AUDIO';

/** The text of a track's cue. Undefined if the track is no cue. `scenes`: number of earlier scenes of the medium. */
export function cueTextOf(track: FoundTrack, scenes: number): string | undefined {
  if (!hasTimes(track.medium)) return undefined;
  if (track.type === 'SCENE') return `Scene ${scenes + 1}`;
  const own = { ...track.exemplar?.detectionProperties, ...track.trackProperties };
  const text = linesOf(own['TRANSLATED_AUDIO'] ?? own['TRANSCRIPT'] ?? own['TEXT'] ?? '');
  if (text !== '') return text;
  return track.type === 'SPEECH' ? '[Speech]' : undefined;
}

/** Cleans a text: an empty line would end the cue, and other control characters of untrusted text may control a terminal. */
const linesOf = (text: string): string =>
  text
    .split(/[\r\n\v\f\u0085\u2028\u2029]+/)
    .map((line) =>
      line
        .replaceAll('\t', ' ')
        .replaceAll(/\p{Cc}/gu, '\ufffd')
        .trim(),
    )
    .filter((line) => line !== '')
    .join('\n');
