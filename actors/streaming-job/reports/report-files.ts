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

/** Reports of segments as files: those that wait to be posted, and those that the client wants to be kept. */
export class ReportFiles {
  readonly #deps: ReportFilesDeps;

  constructor(deps: ReportFilesDeps) {
    this.#deps = deps;
  }

  /** The segments of a job whose reports wait, in their order. */
  async waitingSegments(job: number): Promise<readonly number[]> {
    const names = await readdir(segmentsFolder(this.#deps.dataDir, job)).catch(() => []);
    const segments = names.flatMap((name) =>
      /^\d+\.json(\.kept)?$/.test(name) ? [Number.parseInt(name, 10)] : [],
    );
    return [...new Set(segments)].sort((a, b) => a - b);
  }

  /** Moves a report to those that are kept, once; answers where to read it. Until it `hasGone` a second name of it waits in its place. */
  async keep(job: number, file: string): Promise<string> {
    const waiting = waitingName(file);
    if (existsSync(waiting)) return waiting;
    const kept = await this.#outputFile(job);
    await rename(file, kept);
    return link(kept, waiting).then(
      () => waiting,
      // Where files cannot have two names it is not posted any more when this server dies before it is.
      () => kept,
    );
  }

  /** A report was posted, or is to be no more: it waits no longer. */
  async hasGone(file: string): Promise<void> {
    // Where it was kept elsewhere it may have come here a second time meanwhile, by another server.
    await removeFile(file);
    await removeFile(waitingName(file));
  }

  /** Writes a report that is kept. */
  async write(job: number, text: string): Promise<void> {
    await writeFile(await this.#outputFile(job), text, { mode: 0o600 });
  }

  /** Its name tells when it was made; of two in one millisecond the later one waits for the next. */
  async #outputFile(job: number): Promise<string> {
    const folder = streamOutputFolder(this.#deps.dataDir, job);
    await mkdir(folder, { recursive: true });
    const taken = new Set(await readdir(folder));
    let at = this.#deps.clock.now();
    while (taken.has(nameAt(at))) at++;
    return path.join(folder, nameAt(at));
  }

  /** Removes the folder of those that wait, with what lies there but is not on its way. False: something is left. */
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

  /** False: files are left. */
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

/** The second name of a report that is kept. */
const waitingName = (file: string) => `${file}.kept`;

const nameAt = (at: number) => `summary-report ${localIso(at)}.json`;
