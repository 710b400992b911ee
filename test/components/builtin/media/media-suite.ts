/** Finishes a task with very many results in a process with little memory. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { scratchFolder } from '../../../media/support/samples.ts';

/** `tracks`: number of remaining tracks, from this number of parts with 50 detections each. */
export function finishesInLittleMemory(of: {
  readonly merge: 'TRUE' | 'FALSE';
  readonly parts: number;
  readonly tracks: number;
  readonly memoryMb: number;
}): void {
  const detections = of.parts * 50;
  it(`keeps ${detections.toLocaleString('en')} detections out of memory when MERGE_TRACKS is ${of.merge}`, async () => {
    const folder = scratchFolder();
    const program = fileURLToPath(new URL('./large-finish.js', import.meta.url));
    const args = [`--max-old-space-size=${of.memoryMb}`, program, folder, `${of.parts}`, of.merge];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { summary } = JSON.parse(stdout) as { summary: unknown };
    expect(summary).to.include({ tracks: of.tracks, detections });
    await rm(folder, { recursive: true });
  });
}
