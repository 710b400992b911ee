/** Selects and names the media of a job. */
import type { MediaOfJob, ViewedMedium } from '../../client/answers.ts';
import { jobPath, Refusal } from '../rest.ts';
import { mediumName } from '../text/quote.ts';
import type { ToolCall } from '../tool.ts';

/** Maximum number of media that a refusal names. */
const MOST_NAMED = 20;

/** Returns the medium with this number, or the only one. @throws Refusal that names the media */
export async function mediumOf(
  job: string,
  medium: number | undefined,
  { json }: ToolCall,
): Promise<ViewedMedium> {
  const path = `${jobPath(job)}/media`;
  const { media, total } = await json<MediaOfJob>(path, { mediaId: medium, limit: MOST_NAMED });
  const [first] = media;
  if (first === undefined) throw new Refusal(`Job ${job} has no media yet.`);
  if (medium !== undefined || total === 1) return first;
  const names = media.map(({ mediaId, uri }) => `${mediaId} ${mediumName(uri)}`).join(', ');
  const more = total > media.length ? ', ...' : '';
  throw new Refusal(`Job ${job} has ${total} media. Name one by \`medium\`: ${names}${more}`);
}
