/** Paths of a job's files in DATA_DIR (docs/guides/back-up-and-restore.md describes each folder). */
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { partOf } from '../protocol/media-work.ts';
import { pathOf, type FileKey } from './file-keys.ts';

/** Name of the folders of one run of a job. Each run has its own, so leftovers and late files of one run never affect another. */
export function runFolder(jobId: string, run: number): string {
  return `${plainName(jobId)}.${run}`;
}

/** Raw and finished results of one run of a job. */
export function spoolFolder(jobId: string, run: number): FileKey {
  return join('spool', runFolder(jobId, run));
}

/** The result of one sub-job. `subJobId` already contains job and run. */
export function spoolFile(jobId: string, run: number, subJobId: string): FileKey {
  return join(spoolFolder(jobId, run), `${plainName(subJobId)}.ndjson`);
}

// In all functions below, `folder` is the name of a run's folders, and the result is a key (see `FileKey`).

/** Folder of fetched media. */
export function mediaFolder(folder: string): FileKey {
  return join('media', plainName(folder));
}

/** Maximum number of a run's media that are stored in a shared folder, because a folder costs a file system far more than a file. */
const FEW_MEDIA = 8;

/** Path of a fetched medium, by its place among the `media` of its job. */
export function fetchedFile(folder: string, medium: number, media: number): FileKey {
  return media > FEW_MEDIA ? join(mediaFolder(folder), `${medium}`) : `${mediaFolder(folder)}.m${medium}`;
}

/** All fetched media of a run in the shared folder, including incomplete ones. */
export function looseFiles(folder: string, media: number): readonly FileKey[] {
  if (media > FEW_MEDIA) return [];
  return Array.from({ length: media }, (_, n) => fetchedFile(folder, n, media)).flatMap((file) => [
    file,
    partOf(file),
  ]);
}

/** The run of a file or folder with this name in the media folder. */
export function runOfMedia(name: string): string {
  return name.replace(/\.m\d+(\.part)?$/, '');
}

/** The job of the run with this folder name. */
export function jobOfRun(folder: string): string {
  return folder.replace(/\.\d+$/, '');
}

/** Folder for parts of job requests that are too long for the store. */
export const REQUESTS = 'requests';

/** `unique`: differs from all other files of the job. */
export function requestFile(jobId: string, unique: string): FileKey {
  return join(REQUESTS, plainName(`${jobId}.${unique}`));
}

/** The job of such a file. Undefined for incomplete files and for all others. */
export function jobOfRequestFile(name: string): string | undefined {
  return /^(.+-\d+)\.[0-9a-f]{16}$/.exec(name)?.[1];
}

export const UPLOADS = 'uploads';

/** Folder of the media that clients have uploaded, with a folder for each. */
export function uploadsFolder(dataDir: string): string {
  return join(dataDir, UPLOADS);
}

/** Folder with notes of running processes. */
export function processesFolder(dataDir: string): string {
  return join(dataDir, 'processes');
}

/** Pending segment reports of streaming jobs: a folder for each job. */
export const segmentsRoot = (dataDir: string): string => join(dataDir, 'streams');

export function segmentsFolder(dataDir: string, jobNumber: number): string {
  return join(segmentsRoot(dataDir), String(jobNumber));
}

export function segmentFile(dataDir: string, jobNumber: number, segment: number): string {
  return join(segmentsFolder(dataDir, jobNumber), `${segment}.json`);
}

/** Tracks of the segments of a streaming job, for the search: a folder for each job. */
export const streamTracksRoot = (dataDir: string): string => join(dataDir, 'stream-tracks');

export function streamTracksFolder(dataDir: string, jobNumber: number): string {
  return join(streamTracksRoot(dataDir), String(jobNumber));
}

/** Number of segments whose tracks are in one folder. A folder with too many files is slow. */
const SEGMENTS_A_FOLDER = 1_000;

/** Path of the tracks of a segment. A segment without tracks has no file. */
export function streamTracksFile(dataDir: string, jobNumber: number, segment: number): string {
  const group = String(Math.floor(segment / SEGMENTS_A_FOLDER));
  return join(streamTracksFolder(dataDir, jobNumber), group, `${segment}.json`);
}

/** Recordings of live streams: a folder for each job, and in it one for each hour. */
export const recordingsRoot = (dataDir: string): string => join(dataDir, 'recordings');

export function recordingFolder(dataDir: string, jobNumber: number): string {
  return join(recordingsRoot(dataDir), String(jobNumber));
}

/** All files of a streaming job. */
export function streamOutputFolder(dataDir: string, jobNumber: number): string {
  return pathOf(dataDir, outputFolder(String(jobNumber)));
}

export function outputFolder(folder: string): FileKey {
  return join('output-objects', plainName(folder));
}

/** The detection document. */
export function detectionFile(folder: string): FileKey {
  return join(outputFolder(folder), 'detection.json');
}

/** Path of the media index of an ended run; see `media-index.ts`. */
export function mediaIndexFile(folder: string): FileKey {
  return join(outputFolder(folder), 'media-index');
}

/** Prefix of the folders for files that components extract from a document, before they become derivative media. */
export function derivingFolder(folder: string, run: number, mediaId: number): FileKey {
  return join(mediaFolder(folder), `${run}-derived-${mediaId}`);
}

/** Results beside the document, by kind. Each kind has a folder for each run of a job, and in it one for each medium. */
const RESULT_KINDS = [
  'artifacts',
  'markup',
  'derivative-media',
  'media-selectors-output',
  'thumbnails',
] as const;
type ResultKind = (typeof RESULT_KINDS)[number];

function resultFolder(kind: ResultKind, folder: string): FileKey {
  return join(kind, plainName(folder));
}

/** The folders with the results of all jobs. */
export const RESULT_FOLDERS = ['output-objects', ...RESULT_KINDS] as const;

export const resultRoots = (dataDir: string): readonly string[] =>
  RESULT_FOLDERS.map((name) => join(dataDir, name));

/** All files of a run that has ended. */
export function outputFolders(folder: string): readonly FileKey[] {
  return [outputFolder(folder), ...RESULT_KINDS.map((kind) => resultFolder(kind, folder))];
}

/** Pictures of frames and tables of their times, which can be made again: for all runs, and for one run. */
export const FRAMES = 'frames';

export function framesFolder(folder: string): FileKey {
  return join(FRAMES, plainName(folder));
}

/** Folder with small pictures of the frames of a run. */
export function thumbnailsFolder(folder: string): FileKey {
  return resultFolder('thumbnails', folder);
}

/** Longer side of a thumbnail in pixels: twice the width of a tile, for screens with a high resolution. */
export const THUMBNAIL_PIXELS = 480;

/** `place`: position of the medium in the document, from 0. */
export const thumbnailName = (place: number, frame: number): string => `${place}-${frame}.jpg`;

/** Path of a small picture of a frame for lists of media. It is kept until the run is deleted. */
export function thumbnailFile(folder: string, place: number, frame: number): FileKey {
  return join(thumbnailsFolder(folder), thumbnailName(place, frame));
}

/** Folder with pictures of detections. */
export function artifactsFolders(folder: string): FileKey {
  return resultFolder('artifacts', folder);
}

/** Folder with pictures of the detections of one action on one medium. */
export function artifactsFolder(
  folder: string,
  { mediaId, task, action }: { readonly mediaId: number; readonly task: number; readonly action: number },
): FileKey {
  return join(artifactsFolders(folder), `${mediaId}`, `${task}`, `${action}`);
}

/** Path of a picture of a detection. `again` counts the pictures of a track that show the same frame. */
export function artifactFile(
  folder: string,
  place: Readonly<Record<'mediaId' | 'task' | 'action' | 'track' | 'frame' | 'again', number>>,
): FileKey {
  const { track, frame, again } = place;
  const name = again > 0 ? `frame-${frame}-${again}.png` : `frame-${frame}.png`;
  return join(artifactsFolder(folder, place), `${track}`, name);
}

/** Folder with copies of media with the detections drawn into them. */
export function markupFolders(folder: string): FileKey {
  return resultFolder('markup', folder);
}

export function markupFolder(folder: string, mediaId: number): FileKey {
  return join(markupFolders(folder), `${mediaId}`);
}

/** Derivative media of a run: a folder for each source medium. */
export function derivativeFolders(folder: string): FileKey {
  return resultFolder('derivative-media', folder);
}

/** Folder with the derivative media of this medium. */
export function derivativeFolder(folder: string, parentMediaId: number): FileKey {
  return join(derivativeFolders(folder), `${parentMediaId}`);
}

export function selectorsOutputFile(folder: string, mediaId: number): FileKey {
  const ofJob = resultFolder('media-selectors-output', folder);
  return join(ofJob, `${mediaId}`, 'media-selectors-output.json');
}

/** The path of a detection document of this service, from its URI. Undefined for all other URIs. */
export function ownDocument(dataDir: string, uri: string): string | undefined {
  const folder = folderOfDocument(dataDir, uri);
  return folder === undefined ? undefined : pathOf(dataDir, detectionFile(folder));
}

/** The folder name of the run whose detection document a URI names. Undefined if the document is not of this service. */
export function folderOfDocument(dataDir: string, uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    const [folder = '', name, ...rest] = relative(join(dataDir, 'output-objects'), fileURLToPath(uri)).split(
      sep,
    );
    return name === 'detection.json' && rest.length === 0 ? plainName(folder) : undefined;
  } catch {
    return undefined;
  }
}

/** Ensures that an id in a file name cannot lead out of its folder. */
function plainName(id: string): string {
  if (!/^[\w-][\w.-]*$/.test(id)) throw new Error(`"${id}" cannot be the name of a file or folder.`);
  return id;
}
