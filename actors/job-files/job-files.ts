/**
 * The files of batch jobs (media and results), for clients without a folder shared with the server. The job determines the file: no part of
 * a path comes from a client.
 */
import { basename, extname } from 'node:path';
import type { IndexedMedium } from '../../protocol/document-work.ts';
import type { Issue } from '../../domain/types.ts';
import { unknownMedium } from '../../domain/job/media-ids.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { artifactFile } from '../../results/layout.ts';
import type { PlacedMedium } from '../../results/document/media-index.ts';
import { openServed, type ServedFile } from '../../results/served-file.ts';
import type { Store } from '../../store/store.ts';
import { foldersOf } from '../batch-job/state/record.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { openClientFile, type LocalPath } from './client-file.ts';
import { jobMedium, mediaIdsOf, resultFolderOf } from './job-media.ts';
import { storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import { decodeText } from '../../domain/decode-text.ts';

/** An open file of a job. The caller streams or closes it. */
export interface JobFile {
  readonly file: ServedFile;
  /** Determined from the content, if the medium was inspected. */
  readonly mimeType: string;
  /** The file name shown to users. */
  readonly name: string;
}

/** Why the file does not exist, as a sentence that says what to do. */
export interface Missing {
  readonly missing: string;
}

/** A picture of a detection. */
export interface ArtifactPlace {
  readonly mediaId: number;
  readonly task: number;
  readonly action: number;
  /** Index of the track; 0 for pictures of whole frames. */
  readonly track: number;
  readonly frame: number;
  /** Number of the picture among several of one frame, from 0. */
  readonly again: number;
}

export interface JobFilesDeps {
  readonly store: Store;
  readonly dataDir: string;
  readonly localPath: LocalPath;
  /** Why a medium cannot be used. */
  checkMedium(uri: string): Promise<Issue | undefined>;
}

/** What a job knows of a medium. */
export interface KnownMedium {
  readonly medium: IndexedMedium;
  /** Position in the document, from 0. */
  readonly place: number;
  /** The name of the folders with the results of the job. */
  readonly folder: string;
}

/** A medium with the path of its file. */
export interface WholeMedium extends KnownMedium {
  readonly path: string;
  readonly file: ServedFile;
}

export class JobFiles {
  readonly #deps: JobFilesDeps;

  constructor(deps: JobFilesDeps) {
    this.#deps = deps;
  }

  /** A medium by its mediaId. Returns undefined if there is no such job. */
  async medium(number: number, mediaId: number): Promise<JobFile | Missing | undefined> {
    const found = await this.findMedium(number, mediaId);
    if (found === undefined || 'missing' in found) return found;
    const { medium, file } = found;
    const name = nameOf(medium);
    return { file, mimeType: medium.facts?.mimeType ?? ANY_TYPE, name };
  }

  /** Like `medium`, with everything that the job knows of the medium. */
  async findMedium(number: number, mediaId: number): Promise<WholeMedium | Missing | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return undefined;
    const found = await this.#findIndexed(job, mediaId);
    if ('missing' in found) return found;
    const { medium, place } = found;
    const path = await this.#pathOf(job, medium);
    if (typeof path !== 'string') return path;
    const file = await this.#openFile(medium, path);
    if (file === undefined) return { missing: goneSentence(job, medium) };
    if (!isSame(medium, file)) {
      await file.close();
      return { missing: CHANGED };
    }
    return { medium, place, path, file, folder: this.#folderOf(job) };
  }

  /** Facts about a medium, whether or not its file exists. Returns undefined if there is no such job. */
  async knownMedium(number: number, mediaId: number): Promise<KnownMedium | Missing | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return undefined;
    const found = await this.#findIndexed(job, mediaId);
    return 'missing' in found ? found : { ...found, folder: this.#folderOf(job) };
  }

  #folderOf(job: StoredJob): string {
    return resultFolderOf(job, this.#deps.dataDir) ?? foldersOf(job.record, job.snapshot);
  }

  /** The copy of a medium with the results drawn into it. */
  async markup(number: number, mediaId: number): Promise<JobFile | Missing | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return undefined;
    const found = await this.#findIndexed(job, mediaId);
    if ('missing' in found) return found;
    const { medium } = found;
    const { markup } = medium;
    if (markup === undefined) return { missing: notMade(job, 'The job has drawn nothing into this medium.') };
    if (!markup.uri.startsWith('file:')) return { missing: IN_BUCKET };
    const name = nameOf(medium);
    const extension = extname(markup.file);
    return this.#ofService(
      markup.file,
      `${name.slice(0, name.length - extname(name).length)}-markup${extension}`,
    );
  }

  /** The document in which the results replace the content that media selectors selected. */
  async selectorsOutput(number: number, mediaId: number): Promise<JobFile | Missing | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return undefined;
    const found = await this.#findIndexed(job, mediaId);
    if ('missing' in found) return found;
    const { medium } = found;
    if (medium.selectorsOutput === undefined)
      return {
        missing: notMade(
          job,
          'The job has written no media selectors output for this medium on this server.',
        ),
      };
    return this.#ofService(medium.selectorsOutput, basename(medium.selectorsOutput));
  }

  async artifact(number: number, place: ArtifactPlace): Promise<JobFile | Missing | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return undefined;
    const folder = resultFolderOf(job, this.#deps.dataDir);
    if (folder === undefined) return { missing: ELSEWHERE };
    return this.#ofService(artifactFile(folder, place));
  }

  async #findIndexed(job: StoredJob, mediaId: number): Promise<PlacedMedium | Missing> {
    const { store, dataDir } = this.#deps;
    const medium = await jobMedium(store, dataDir, job, mediaId);
    if (medium !== undefined) return medium;
    return { missing: notMade(job, unknownMedium(mediaId, await mediaIdsOf(store, dataDir, job))) };
  }

  /** The paths of client files are resolved again, because settings and symbolic links may have changed since the job was created. */
  async #pathOf(job: StoredJob, { uri, file }: IndexedMedium): Promise<string | Missing> {
    if (file !== undefined) return pathOf(this.#deps.dataDir, file);
    if (!/^file:/i.test(uri)) return { missing: isTerminal(job.snapshot.status) ? FETCHED : NOT_FETCHED };
    const path = await this.#deps.localPath(uri);
    if (path !== undefined) return path;
    const issue = await this.#deps.checkMedium(uri);
    return { missing: `The medium can no longer be read: ${issue?.message ?? 'it is not there'}.` };
  }

  #openFile({ uri, file: key }: IndexedMedium, path: string): Promise<ServedFile | undefined> {
    return key === undefined ? openClientFile(this.#deps.localPath, uri, path) : openServed(path);
  }

  async #ofService(key: FileKey, name = basename(key)): Promise<JobFile | Missing> {
    const file = await openServed(pathOf(this.#deps.dataDir, key));
    if (file === undefined) return { missing: NO_FILE };
    return { file, mimeType: TYPES[extname(key)] ?? ANY_TYPE, name };
  }
}

const ANY_TYPE = 'application/octet-stream';
/** MIME types of files that Troupe creates. */
const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.json': 'application/json',
};

const ELSEWHERE = 'The results of this job are those of an earlier job of another service. Read them there.';
const IN_BUCKET = 'It is in the bucket of the job (S3_RESULTS_BUCKET). Its URI is in the document.';
const NO_FILE = 'The job did not create this file, or stored it in a bucket. The document has its URI.';
const CHANGED =
  'The file has changed since the job analyzed it, so the results do not match it. Resubmit the job.';
const FETCHED =
  'The service fetched this medium and removed its copy when the job ended: get it from its own address, which mediaUris of the job says.';
const NOT_FETCHED =
  'The service has not fetched this medium yet, or could not: ask again later, and look at the issues of the job.';

const goneSentence = ({ snapshot }: StoredJob, { uri }: IndexedMedium): string => {
  if (uri.startsWith('derived:'))
    return 'The file of this derivative medium was deleted. Resubmit the job to create it again.';
  if (/^file:/i.test(uri)) return 'The medium can no longer be read: it was moved or deleted.';
  return isTerminal(snapshot.status) ? FETCHED : NOT_FETCHED;
};

/** The message for a missing file. A live job may still create the file. */
const notMade = ({ snapshot }: StoredJob, sentence: string): string =>
  isTerminal(snapshot.status) ? sentence : `${sentence} The job is still in progress.`;

/** True if the file is unchanged. Troupe never rewrites its own files, but their times may change when the data folder is moved. */
function isSame({ bytes, modified, file: key }: IndexedMedium, file: ServedFile): boolean {
  if (bytes !== undefined && bytes !== file.bytes) return false;
  return key !== undefined || modified === undefined || modified === file.modified;
}

/** The file name of a medium: the last part of its URI. */
export function nameOf({ uri, file }: IndexedMedium): string {
  if (file !== undefined && !/^file:/i.test(uri)) return basename(file);
  return decodeText(uri.split('/').at(-1) ?? '');
}
