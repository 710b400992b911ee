import { existsSync } from 'node:fs';
import { link, mkdir, readdir, rename, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../../config/logger.ts';
import {
  recordingFolder,
  segmentsFolder,
  streamOutputFolder,
  streamTracksFolder,
} from '../../../results/layout.ts';
import { localIso } from '../../../results/local-iso.ts';
import { removeFile, removeFolder } from '../../../files/remove.ts';
import type { Clock } from '../../basics/clock.ts';

export interface ReportFilesDeps {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reports of segments as files: pending ones, and those that the client wants to keep. */
export class ReportFiles {
  readonly #deps: ReportFilesDeps;

  constructor(deps: ReportFilesDeps) {
    this.#deps = deps;
  }

  /** Returns the segments of a job with pending reports, in their order. */
  async waitingSegments(job: number): Promise<readonly number[]> {
    const names = await readdir(segmentsFolder(this.#deps.dataDir, job)).catch(() => []);
    const segments = names.flatMap((name) =>
      /^\d+\.json(\.kept)?$/.test(name) ? [Number.parseInt(name, 10)] : [],
    );
    return [...new Set(segments)].sort((a, b) => a - b);
  }

  /** Moves a report to the kept ones, once, and returns the path to read. Until `hasGone`, a second name marks the report as pending. */
  async keep(job: number, file: string): Promise<string> {
    const waiting = waitingName(file);
    if (existsSync(waiting)) return waiting;
    const kept = await this.#outputFile(job);
    await rename(file, kept);
    return link(kept, waiting).then(
      () => waiting,
      // Without hard links, the report is lost if this server ends before it is posted.
      () => kept,
    );
  }

  /** Removes a report from the pending ones, because it was posted or will never be posted. */
  async hasGone(file: string): Promise<void> {
    // Another server may have written the report again in the meantime.
    await removeFile(file);
    await removeFile(waitingName(file));
  }

  /** Writes a report to the kept ones. */
  async write(job: number, text: string): Promise<void> {
    await writeFile(await this.#outputFile(job), text, { mode: 0o600 });
  }

  /** Returns a file name with the time of the report. If a name is in use, the next free millisecond is used. */
  async #outputFile(job: number): Promise<string> {
    const folder = streamOutputFolder(this.#deps.dataDir, job);
    await mkdir(folder, { recursive: true });
    const taken = new Set(await readdir(folder));
    let at = this.#deps.clock.now();
    while (taken.has(nameAt(at))) at++;
    return path.join(folder, nameAt(at));
  }

  /** Removes the folder of pending reports, with all files that are not being posted. Returns false if something remains. */
  async removeWaiting(job: number, isOnItsWay: (file: string) => boolean): Promise<boolean> {
    const folder = segmentsFolder(this.#deps.dataDir, job);
    for (const name of await readdir(folder).catch(() => []))
      if (!isOnItsWay(path.join(folder, name.replace(/\.kept$/, ''))))
        await removeFile(path.join(folder, name));
    return rmdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
  }

  /** Returns false if files remain. */
  async removeAll(job: number): Promise<boolean> {
    const { dataDir, logger } = this.#deps;
    let all = true;
    const folders = [segmentsFolder, streamOutputFolder, streamTracksFolder, recordingFolder].map((of) =>
      of(dataDir, job),
    );
    for (const folder of folders)
      await removeFolder(folder).catch((err: unknown) => {
        all = false;
        logger.warn({ err, folder }, 'could not remove files of a streaming job');
      });
    return all;
  }
}

/** Returns the second name of a kept report. */
const waitingName = (file: string) => `${file}.kept`;

const nameAt = (at: number) => `summary-report ${localIso(at)}.json`;
