/** Where a job's files lie below DATA_DIR (see docs/architecture.md). */
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Raw and finished results of one run of a job. */
export function spoolFolder(dataDir: string, jobId: string, run: number): string {
  return join(dataDir, 'spool', `${plainName(jobId)}.${run}`);
}

/** The result of one sub-job; `subJobId` already names job and run. */
export function spoolFile(dataDir: string, jobId: string, run: number, subJobId: string): string {
  return join(spoolFolder(dataDir, jobId, run), `${plainName(subJobId)}.ndjson`);
}

/** Media that were fetched for a job. */
export function mediaFolder(dataDir: string, jobId: string): string {
  return join(dataDir, 'media', plainName(jobId));
}

/** Media that clients have uploaded: a folder each. */
export function uploadsFolder(dataDir: string): string {
  return join(dataDir, 'uploads');
}

/** Notes of the processes that run. */
export function processesFolder(dataDir: string): string {
  return join(dataDir, 'processes');
}

export function outputFolder(dataDir: string, jobId: string): string {
  return join(dataDir, 'output-objects', plainName(jobId));
}

/** The detection document. */
export function detectionFile(dataDir: string, jobId: string): string {
  return join(outputFolder(dataDir, jobId), 'detection.json');
}

/** Files that components make of a document, before they are taken over as derivative media. */
export function derivingFolder(dataDir: string, jobId: string, run: number, mediaId: number): string {
  return join(mediaFolder(dataDir, jobId), `${run}-derived-${mediaId}`);
}

/** Results beside the document, by kind: each kind has a folder for each job, and in it one for each medium. */
const RESULT_KINDS = ['artifacts', 'markup', 'derivative-media', 'media-selectors-output'] as const;
type ResultKind = (typeof RESULT_KINDS)[number];

function resultFolder(dataDir: string, kind: ResultKind, jobId: string): string {
  return join(dataDir, kind, plainName(jobId));
}

/** The folders in which the results of all jobs lie. */
export const resultRoots = (dataDir: string): readonly string[] =>
  ['output-objects', ...RESULT_KINDS].map((kind) => join(dataDir, kind));

/** Everything that stays of a job that has ended. */
export function outputFolders(dataDir: string, jobId: string): readonly string[] {
  return [outputFolder(dataDir, jobId), ...RESULT_KINDS.map((kind) => resultFolder(dataDir, kind, jobId))];
}

/** Pictures of detections. */
export function artifactsFolders(dataDir: string, jobId: string): string {
  return resultFolder(dataDir, 'artifacts', jobId);
}

/** Pictures of the detections of one action on one medium. */
export function artifactsFolder(
  dataDir: string,
  jobId: string,
  { mediaId, task, action }: { readonly mediaId: number; readonly task: number; readonly action: number },
): string {
  return join(artifactsFolders(dataDir, jobId), `${mediaId}`, `${task}`, `${action}`);
}

/** Copies of media with what was found drawn into them. */
export function markupFolders(dataDir: string, jobId: string): string {
  return resultFolder(dataDir, 'markup', jobId);
}

export function markupFolder(dataDir: string, jobId: string, mediaId: number): string {
  return join(markupFolders(dataDir, jobId), `${mediaId}`);
}

/** Media made of those of a job: a folder for each that some were made of. */
export function derivativeFolders(dataDir: string, jobId: string): string {
  return resultFolder(dataDir, 'derivative-media', jobId);
}

/** Media made of this one. */
export function derivativeFolder(dataDir: string, jobId: string, parentMediaId: number): string {
  return join(derivativeFolders(dataDir, jobId), `${parentMediaId}`);
}

export function selectorsOutputFile(dataDir: string, jobId: string, mediaId: number): string {
  const folder = join(resultFolder(dataDir, 'media-selectors-output', jobId), `${mediaId}`);
  return join(folder, 'media-selectors-output.json');
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
