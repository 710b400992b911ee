/** Findings so far in the first medium of a running job, for its tile. */
import { get } from '../kit/api.ts';
import { useLoaded } from '../kit/load.ts';
import { shownArea, storedSize, turnPicture, type Turned } from '../kit/findings/overlay.ts';
import type { Box, BoxPage, Lane, MediaOfJob, Medium, Track, TrackPage } from '../kit/findings/types.ts';
import { thumbnailUrl, type PicturedMedium } from './tile.tsx';
import type { Finding } from './types.ts';

export interface Preview {
  readonly medium: PicturedMedium;
  readonly findings: Finding[];
}

/** Interval between two updates: milliseconds. */
const LOOK_MS = 3_000;
/** Maximum number of tracks that are counted, and from which the frame is chosen. */
const TRACKS = 200;
const BOXES = 32;
/** The type of tracks whose label is a class. */
const CLASSES = 'CLASS';

/** Returns undefined while the medium is not inspected. */
export const usePreview = (job: string): Preview | undefined =>
  useLoaded((signal) => loadPreview(job, signal), [job], LOOK_MS).value;

async function loadPreview(job: string, signal: AbortSignal): Promise<Preview | undefined> {
  const path = `rest/jobs/${encodeURIComponent(job)}/media`;
  const [medium] = (await get<MediaOfJob>(path, { limit: 1 }, signal)).media;
  if (medium === undefined || medium.mediaType === 'UNKNOWN') return undefined;
  const base = `${path}/${medium.mediaId}`;
  const found = medium.tracks > 0;
  const tracks = found ? (await get<TrackPage>(`${base}/tracks`, { limit: TRACKS }, signal)).tracks : [];
  const lanes = tracks.length > 0 ? await get<readonly Lane[]>(`${base}/lanes`, {}, signal) : [];
  const size = storedSize(medium);
  const findings = findingsOf(tracks, lanes);
  if (size === undefined) return { medium: toPicture(job, medium, undefined, null, []), findings };
  const turned = turnPicture(size, medium.metadata);
  const frame = bestFrame(tracks) ?? firstFrame(medium);
  const query = { fromFrame: frame, toFrame: frame, limit: BOXES };
  const boxes = tracks.length > 0 ? (await get<BoxPage>(`${base}/boxes`, query, signal)).boxes : [];
  const shown = boxes.map((box) => shownBox(box, lanes, turned));
  // The picture is loaded first, so that it changes together with its boxes.
  await loadPicture(thumbnailUrl({ jobId: job, mediaId: medium.mediaId }, frame));
  return { medium: toPicture(job, medium, turned, frame, shown), findings };
}

const toPicture = (
  jobId: string,
  { mediaId, uri, mediaType }: Medium,
  size: Pick<Turned, 'width' | 'height'> | undefined,
  frame: number | null,
  boxes: PicturedMedium['boxes'],
): PicturedMedium => ({
  ...{ jobId, mediaId, mediaUri: uri, mediaType, frame, boxes },
  ...{ width: size?.width ?? null, height: size?.height ?? null },
});

/** Returns the first frame of the second third of a video, which is rarely black. */
const firstFrame = ({ mediaType, length }: Medium) => (mediaType === 'VIDEO' ? Math.floor(length / 3) : 0);

/** Returns the frame whose exemplars have the highest confidence. The library chooses in the same way. */
function bestFrame(tracks: readonly Track[]): number | undefined {
  const certainty = new Map<number, number>();
  for (const { exemplarFrame, confidence } of tracks)
    if (exemplarFrame !== null)
      certainty.set(exemplarFrame, (certainty.get(exemplarFrame) ?? 0) + Math.max(0, confidence) + 1);
  return [...certainty].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

const nameOf = (lanes: readonly Lane[], { lane, label }: Pick<Track, 'lane' | 'label'>) => {
  const type = lanes.find((one) => one.lane === lane)?.type ?? '';
  return { type, class: type === CLASSES ? label : null };
};

function findingsOf(tracks: readonly Track[], lanes: readonly Lane[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (const track of tracks) {
    const named = nameOf(lanes, track);
    const key = JSON.stringify(named);
    findings.set(key, { ...named, tracks: (findings.get(key)?.tracks ?? 0) + 1 });
  }
  return [...findings.values()].toSorted((a, b) => b.tracks - a.tracks);
}

function shownBox(box: Box, lanes: readonly Lane[], { matrix }: Turned): PicturedMedium['boxes'][number] {
  const { left, top, right, bottom } = shownArea(box, matrix);
  return { x: left, y: top, width: right - left, height: bottom - top, ...nameOf(lanes, box) };
}

function loadPicture(url: string): Promise<void> {
  const picture = new Image();
  picture.src = url;
  // If there is no picture, the tile shows the kind of the medium.
  return picture.decode().catch(() => undefined);
}
