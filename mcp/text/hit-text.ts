/** A hit of the search: one line about the finding, and one about its place. */
import type { SearchHit } from '../../client/answers.ts';
import { clockRange, hasTimes, linkTo, linkToStream } from './places.ts';
import { mediumName, quote, typeName } from './quote.ts';

export function hitText(hit: SearchHit & { readonly similarity?: number }, pageUrl: string): string {
  const { jobId, mediaId, mediaUri, mediaType, type, snippet, frame, confidence, colour, stream, person } =
    hit;
  const what = [
    typeName(type),
    ...(hit.class === null ? [] : [quote(hit.class)]),
    ...(snippet.text === '' ? [] : [quote(snippet.text)]),
    ...(colour === null ? [] : [colour]),
    ...(person?.name == null ? [] : [`of ${quote(person.name)}`]),
  ].join(' ');
  const sure = confidence < 0 ? '' : `, confidence ${confidence.toFixed(2)}`;
  const like = hit.similarity === undefined ? '' : `, similarity ${hit.similarity.toFixed(2)}`;
  const name = mediumName(mediaUri);
  // Only tracks with a vector can be used in a search for similar tracks.
  const track = hit.vectorModel === null ? [] : [`track ${quote(hit.trackId, LONGEST_ID).slice(1, -1)}`];
  if (stream !== null) {
    const at = [`streaming job ${jobId}`, ...track.flatMap((one) => [`medium ${mediaId}`, one])].join(', ');
    return `${name}, ${stream.startDate} to ${stream.stopDate}: ${what}${sure}${like}\n   ${at}: ${linkToStream(pageUrl, jobId)}`;
  }
  const at = [
    ...[`job ${jobId}`, `medium ${mediaId}`],
    ...(frame === null ? [] : [`frame ${frame}`]),
    ...track,
  ].join(', ');
  const ms = hasTimes(mediaType) ? hit.startOffsetTime : undefined;
  return `${name}${whereOf(hit)}: ${what}${sure}${like}\n   ${at}: ${linkTo(pageUrl, jobId, mediaId, ms)}`;
}

const LONGEST_ID = 1_000;

function whereOf({ mediaType, page, startOffsetTime, stopOffsetTime }: SearchHit): string {
  if (hasTimes(mediaType)) return `, ${clockRange(startOffsetTime, stopOffsetTime)}`;
  return page === null ? '' : `, ${page.kind.toLowerCase()} ${quote(page.number).slice(1, -1)}`;
}
