/** Where a job's files lie below DATA_DIR (see docs/architecture.md). */
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Name of the folders of one run of a job: what is left of one run, or still made by it, never touches another one. `unnumbered` is the
 * run whose folders an earlier version has named after the job alone, as its media and results still are.
 */
export function runFolder(jobId: string, run: number, unnumbered: number | null): string {
  return run === unnumbered ? plainName(jobId) : `${plainName(jobId)}.${run}`;
}

/** Raw and finished results of one run of a job. */
export function spoolFolder(dataDir: string, jobId: string, run: number): string {
  return join(dataDir, 'spool', runFolder(jobId, run, null));
}

/** The result of one sub-job; `subJobId` already names job and run. */
export function spoolFile(dataDir: string, jobId: string, run: number, subJobId: string): string {
  return join(spoolFolder(dataDir, jobId, run), `${plainName(subJobId)}.ndjson`);
}

// In all that follows `folder` is the name of the folders of a run.

/** Media that were fetched. */
export function mediaFolder(dataDir: string, folder: string): string {
  return join(dataDir, 'media', plainName(folder));
}

export const UPLOADS = 'uploads';

/** Media that clients have uploaded: a folder each. */
export function uploadsFolder(dataDir: string): string {
  return join(dataDir, UPLOADS);
}

/** Notes of the processes that run. */
export function processesFolder(dataDir: string): string {
  return join(dataDir, 'processes');
}

export function outputFolder(dataDir: string, folder: string): string {
  return join(dataDir, 'output-objects', plainName(folder));
}

/** The detection document. */
export function detectionFile(dataDir: string, folder: string): string {
  return join(outputFolder(dataDir, folder), 'detection.json');
}

/** Files that components make of a document, before they are taken over as derivative media. */
export function derivingFolder(dataDir: string, folder: string, run: number, mediaId: number): string {
  return join(mediaFolder(dataDir, folder), `${run}-derived-${mediaId}`);
}

/** Results beside the document, by kind: each kind has a folder for each run of a job, and in it one for each medium. */
const RESULT_KINDS = ['artifacts', 'markup', 'derivative-media', 'media-selectors-output'] as const;
type ResultKind = (typeof RESULT_KINDS)[number];

function resultFolder(dataDir: string, kind: ResultKind, folder: string): string {
  return join(dataDir, kind, plainName(folder));
}

/** The folders in which the results of all jobs lie. */
export const RESULT_FOLDERS = ['output-objects', ...RESULT_KINDS] as const;

export const resultRoots = (dataDir: string): readonly string[] =>
  RESULT_FOLDERS.map((name) => join(dataDir, name));

/** Everything that stays of a run that has ended. */
export function outputFolders(dataDir: string, folder: string): readonly string[] {
  return [outputFolder(dataDir, folder), ...RESULT_KINDS.map((kind) => resultFolder(dataDir, kind, folder))];
}

/** Pictures of detections. */
export function artifactsFolders(dataDir: string, folder: string): string {
  return resultFolder(dataDir, 'artifacts', folder);
}

/** Pictures of the detections of one action on one medium. */
export function artifactsFolder(
  dataDir: string,
  folder: string,
  { mediaId, task, action }: { readonly mediaId: number; readonly task: number; readonly action: number },
): string {
  return join(artifactsFolders(dataDir, folder), `${mediaId}`, `${task}`, `${action}`);
}

/** Copies of media with what was found drawn into them. */
export function markupFolders(dataDir: string, folder: string): string {
  return resultFolder(dataDir, 'markup', folder);
}

export function markupFolder(dataDir: string, folder: string, mediaId: number): string {
  return join(markupFolders(dataDir, folder), `${mediaId}`);
}

/** Media made of those of a run: a folder for each that some were made of. */
export function derivativeFolders(dataDir: string, folder: string): string {
  return resultFolder(dataDir, 'derivative-media', folder);
}

/** Media made of this one. */
export function derivativeFolder(dataDir: string, folder: string, parentMediaId: number): string {
  return join(derivativeFolders(dataDir, folder), `${parentMediaId}`);
}

export function selectorsOutputFile(dataDir: string, folder: string, mediaId: number): string {
  const ofJob = resultFolder(dataDir, 'media-selectors-output', folder);
  return join(ofJob, `${mediaId}`, 'media-selectors-output.json');
}

/** The path behind the URI of a detection document of this service; undefined for all other URIs. */
export function ownDocument(dataDir: string, uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    const [folder = '', name, ...rest] = relative(join(dataDir, 'output-objects'), fileURLToPath(uri)).split(
      sep,
    );
    return name === 'detection.json' && rest.length === 0 ? detectionFile(dataDir, folder) : undefined;
  } catch {
    return undefined;
  }
}

/** An id that becomes a file name must not leave its folder. */
function plainName(id: string): string {
  if (!/^[\w-][\w.-]*$/.test(id)) throw new Error(`"${id}" cannot be the name of a file or folder.`);
  return id;
}
