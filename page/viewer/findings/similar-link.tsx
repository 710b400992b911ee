import { get } from '../../kit/api.ts';
import { useLoaded } from '../../kit/load.ts';
import { TEXT } from '../../kit/text.ts';
import {
  canCompareCrops,
  similarTo,
  useVectorModels,
  wholeBox,
  type Crop,
} from '../../kit/findings/similar-address.ts';
import { shownArea, storedSize, turnPicture } from '../../kit/findings/overlay.ts';
import type { BoxPage, Medium, Track } from '../../kit/findings/types.ts';

/** Maximum number of boxes in one answer, as limited by the service. */
const BOXES = 20_000;

interface LinkProps {
  readonly job: string;
  readonly medium: Medium;
  readonly track: Track;
}

/** Leads to findings that are similar to a track by its vector, or by its picture if the server has a model for it. */
export function SimilarLink({ job, medium, track }: LinkProps) {
  const canCrop = canCompareCrops(useVectorModels());
  const crop = useLoaded((signal) => cropOf({ job, medium, track }, signal), [track.exemplarFrame, track.n]);
  const at = similarTo({
    jobId: job,
    mediaId: medium.mediaId,
    trackId: track.properties['FEATURE'] === undefined ? undefined : track.id,
    crop: canCrop ? crop.value : undefined,
  });
  if (at === undefined) return null;
  return (
    <a class="more" href={at}>
      {TEXT.common.similar}
    </a>
  );
}

/** Returns the box of the exemplar. Returns undefined if it has none. */
async function cropOf({ job, medium, track }: LinkProps, signal: AbortSignal): Promise<Crop | undefined> {
  const { mediaId, mediaType, metadata } = medium;
  const { exemplarFrame: frame, exemplarMs, startMs, n } = track;
  const stored = storedSize(medium);
  if (frame === null || stored === undefined) return undefined;
  const base = `rest/jobs/${encodeURIComponent(job)}/media/${mediaId}`;
  const asked = { fromFrame: frame, toFrame: frame, limit: BOXES };
  const { boxes } = await get<BoxPage>(`${base}/boxes`, asked, signal);
  const found = boxes.find((box) => box.track === n);
  if (found === undefined) return undefined;
  const { left, top, right, bottom } = shownArea(found, turnPicture(stored, metadata).matrix);
  const box = wholeBox({ x: left, y: top, width: right - left, height: bottom - top });
  const at = { frame: mediaType === 'IMAGE' ? 0 : frame, atMs: exemplarMs ?? startMs };
  return { jobId: job, mediaId, isLive: false, ...at, box };
}
