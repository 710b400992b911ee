/** Comparisons for tests of recordings. */
import { rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeVideo } from '../../media/support/make-video.ts';
import { scratchFolder } from '../../media/support/samples.ts';
import { accessUnits, type CodedClip } from '../../support/media/coded-media.ts';

/** Milliseconds after which a file of a recording ends at the next key frame. */
const FILE_MS = 4_000;

export function codeClip(frames: number): CodedClip {
  const folder = scratchFolder();
  try {
    const file = join(folder, 'clip.mp4');
    makeVideo(file, { frames, width: 192, height: 112, gop: 25, bFrames: 3 });
    return accessUnits(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const isKey = ({ nals }: CodedClip['units'][number]) => nals.some((nal) => (nal[0]! & 0x1f) === 5);

/** Numbers of the frames at which files of a recording begin. */
export function fileStarts({ units }: CodedClip): readonly number[] {
  const starts = [0];
  for (const [n, unit] of units.entries())
    if (isKey(unit) && unit.ptsMs - units[starts.at(-1)!]!.ptsMs >= FILE_MS) starts.push(n);
  return starts;
}

/** Frame data without parameter sets, which may be repeated. */
export const picturesOf = ({ units }: CodedClip) =>
  units.map(({ nals }) =>
    nals.filter((nal) => ![6, 7, 8, 9].includes(nal[0]! & 0x1f)).map((nal) => nal.toString('base64')),
  );

/** The complete files of a recording, sorted by time. */
export async function recordedFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith('.mp4'))
    .toSorted()
    .map((name) => join(folder, name));
}
