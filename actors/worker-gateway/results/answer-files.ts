/** The files of answers, and the files that they name. */
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { ANSWER_FORMS, type WorkKind } from '../../../protocol/worker-protocol.ts';
import { keyOf, pathOf, type FileKey } from '../../../results/file-keys.ts';
import { detectionFile, runFolder } from '../../../results/layout.ts';
import { syncFolder } from '../../../files/folders.ts';
import type { WorkDone } from '../../batch-job/state/commands.ts';
import { answerFile } from '../../batch-job/state/keys.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';

export interface AnswerFilesDeps {
  readonly dataDir: string;
  /** DATA_DIR without symbolic links. */
  readonly realDataDir: string;
  /** Part of the names of answers, so that two servers that share the folder never write to the same file. */
  readonly serverId: string;
  /** Returns the real path of a `file:` medium that may be read, and undefined for everything else. */
  localPath(uri: string): Promise<string | undefined>;
}

/** True if the answer is the detection document of its job. */
export const isDocument = (kind: string): boolean => ANSWER_FORMS[kind as WorkKind] === 'document';

export class AnswerFiles {
  readonly #deps: AnswerFilesDeps;
  #arrivals = 0;

  constructor(deps: AnswerFilesDeps) {
    this.#deps = deps;
  }

  /** Returns a unique name for every arrival, because a repeated answer must not change the file of the first one. */
  newFile(row: SubJobRow, token: string): string {
    return this.pathOf(answerFile(row, `${token}.${this.#deps.serverId}-${++this.#arrivals}`));
  }

  pathOf(key: FileKey): string {
    return pathOf(this.#deps.dataDir, key);
  }

  keyOf(named: string): FileKey {
    const { dataDir: folder, realDataDir: real } = this.#deps;
    return keyOf({ folder, real }, named);
  }

  /** Moves a checked answer to its final name, and returns the name. All answers with a document use the same name. */
  async final(file: string, row: SubJobRow): Promise<string> {
    return isDocument(row.kind) ? moveFile(file, this.#documentOf(row)) : file;
  }

  /**
   * True if an inspected medium is the right file, because other components will read its path. It must be the place for a fetched medium,
   * or the requested file.
   */
  async isOfMedium({ work }: SubJobRow, checked: WorkDone['result']): Promise<boolean> {
    if (checked.kind !== 'PREPARE' || 'fetched' in checked) return true;
    if (work === null || !('fetchTo' in work)) return false;
    const { path: named } = checked.prepared;
    return named === this.pathOf(work.fetchTo) || named === (await this.#deps.localPath(work.uri));
  }

  #documentOf({ jobId, run }: SubJobRow): string {
    return this.pathOf(detectionFile(runFolder(jobId, run)));
  }
}

async function moveFile(file: string, final: string): Promise<string> {
  const folder = path.dirname(final);
  await mkdir(folder, { recursive: true });
  await rename(file, final);
  await syncFolder(folder);
  await syncFolder(path.dirname(folder));
  return final;
}
