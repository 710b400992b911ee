/** The pictures for exports: frames that a component decodes, and stored pictures of detections. */
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobFrames } from '../actors/frames/job-frames.ts';
import type { ArtifactPlace, JobFile, JobFiles } from '../actors/job-files/job-files.ts';
import type { PictureSource, WantedPicture } from '../results/exports/asked-pictures.ts';

interface Deps {
  readonly jobFiles: JobFiles;
  readonly jobFrames: JobFrames;
}

/** Pause in milliseconds, and number of attempts, while too many other frames are requested. */
const BUSY_MS = 500;
const BUSY_TIMES = 60;

export function exportPictures(deps: Deps): PictureSource {
  return async (wanted) => {
    for (let times = 0; times < BUSY_TIMES; times += 1) {
      const found = await pictureOf(deps, wanted);
      if (found !== 'BUSY') return found === undefined ? undefined : bytesOf(found);
      await pause(BUSY_MS);
    }
    return undefined;
  };
}

async function pictureOf(
  { jobFiles, jobFrames }: Deps,
  wanted: WantedPicture,
): Promise<JobFile | 'BUSY' | undefined> {
  if ('artifact' in wanted) {
    const place = placeOf(wanted.artifact);
    const found = place === undefined ? undefined : await jobFiles.artifact(wanted.job, place);
    return found === undefined || 'missing' in found ? undefined : found;
  }
  const { job, mediaId, frame, small } = wanted;
  const found = small
    ? await jobFrames.thumbnail(job, mediaId, frame)
    : await jobFrames.picture(job, mediaId, frame, false);
  if (found === undefined || 'missing' in found) return undefined;
  return 'busy' in found ? 'BUSY' : found;
}

/** Parses a path such as `artifacts/31/0/0/2/frame-12.png`. */
function placeOf(path: string): ArtifactPlace | undefined {
  const numbers = path.match(/\d+/g)?.map(Number) ?? [];
  const [mediaId, task, action, track, frame, again = 0] = numbers;
  if (mediaId === undefined || task === undefined || action === undefined) return undefined;
  if (track === undefined || frame === undefined) return undefined;
  return { mediaId, task, action, track, frame, again };
}

const bytesOf = async ({ file }: JobFile): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await buffer(file.stream()));
