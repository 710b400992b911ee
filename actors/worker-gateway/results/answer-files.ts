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
  /** The same without symbolic links. */
  readonly realDataDir: string;
  /** Part of the names of answers: two servers that share the folder never write to one file. */
  readonly serverId: string;
  /** The real path of a `file:` medium that may be read; undefined for all else. */
  localPath(uri: string): Promise<string | undefined>;
}

/** Whether the answer is the detection document of its job. */
export const isDocument = (kind: string): boolean => ANSWER_FORMS[kind as WorkKind] === 'document';

export class AnswerFiles {
  readonly #deps: AnswerFilesDeps;
  #arrivals = 0;

  constructor(deps: AnswerFilesDeps) {
    this.#deps = deps;
  }

  /** A name of its own for every arrival: an answer that is sent twice must not touch what the first one left. */
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

  /** The name under which an answer that was looked at stays: a document has its own for all who write it. */
  async final(file: string, row: SubJobRow): Promise<string> {
    return isDocument(row.kind) ? moveFile(file, this.#documentOf(row)) : file;
  }

  /** Other components will read this path: it is the place we gave for a fetched medium, or the file that was asked for. */
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
