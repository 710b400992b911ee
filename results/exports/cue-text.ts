/** What a track says as a subtitle. */
import type { FoundMedium, FoundTrack } from '../document/findings.ts';

/** Only sounds and videos have times for cues. */
export const hasTimes = ({ mediaType }: FoundMedium) => mediaType === 'VIDEO' || mediaType === 'AUDIO';

/** The text of the cue of a track; undefined: the track is no cue. `scenes`: scenes of the medium before it. */
export function cueTextOf(track: FoundTrack, scenes: number): string | undefined {
  if (!hasTimes(track.medium)) return undefined;
  if (track.type === 'SCENE') return `Scene ${scenes + 1}`;
  const own = { ...track.exemplar?.detectionProperties, ...track.trackProperties };
  const text = linesOf(own['TRANSLATED_AUDIO'] ?? own['TRANSCRIPT'] ?? own['TEXT'] ?? '');
  if (text !== '') return text;
  return track.type === 'SPEECH' ? '[Speech]' : undefined;
}

/** An empty line would end the cue; other control characters may steer a terminal, and anybody may have written what is read in a picture. */
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
