/** Reads documents, and the files that they name, for the tests of this folder. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import type {
  DetectionDocument,
  DocumentDetection,
  DocumentMedium,
  Service,
} from '../support/processes/service.ts';

export const uriOf = (service: Service, name: string): string =>
  pathToFileURL(join(service.mediaDir, name)).href;

export const mediumOf = ({ media }: DetectionDocument, end: string): DocumentMedium => {
  const found = media.find(({ path }) => path.endsWith(end));
  if (found === undefined) throw new Error(`There is no medium ${end}.`);
  return found;
};

export const childrenOf = ({ media }: DetectionDocument, parent: DocumentMedium | undefined) =>
  media.filter(({ parentMediaId }) => parentMediaId === parent?.mediaId);

/** Texts of the TEXT tracks of an action. */
export const textsOf = ({ output }: DocumentMedium, action: string): readonly string[] =>
  (output['TEXT'] ?? [])
    .filter(({ source }) => source === action)
    .flatMap(({ tracks = [] }) => tracks.map(({ trackProperties }) => trackProperties['TEXT'] ?? ''));

/** Actions by the keys of a medium's output. */
export const actionsIn = ({ output }: DocumentMedium): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(output).map(([key, entries]) => [key, entries.map(({ source }) => source)]),
  );

/** Frames with an existing artifact file, in ascending order. */
export const picturedFrames = (detections: readonly DocumentDetection[]): readonly number[] =>
  detections.filter(hasPicture).map(({ offsetFrame }) => offsetFrame);

const hasPicture = ({ artifactExtractionStatus, artifactPath }: DocumentDetection): boolean =>
  artifactExtractionStatus === 'COMPLETED' && existsSync(fileURLToPath(artifactPath ?? ''));

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue, 0 to 255, at a relative position from 0 to 1. */
  at(x: number, y: number): readonly number[];
}

export async function pictureAt(uri: string | null): Promise<Picture> {
  const image = sharp(fileURLToPath(uri ?? '')).removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const at = (x: number, y: number) => {
    const offset = (Math.floor(y * height) * width + Math.floor(x * width)) * 3;
    return [...data.subarray(offset, offset + 3)];
  };
  return { width, height, at };
}

/** Files of a run of a job below a folder of DATA_DIR, as sorted paths relative to the folder of the run. */
export async function filesOf(
  service: Service,
  kind: string,
  jobId: string,
  run = 1,
): Promise<readonly string[]> {
  const folder = join(service.dataDir, kind, `${jobId}.${run}`);
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

/** The parts that must be equal in two runs of a job: without ids and times. */
export function content({ media, errors, warnings, status }: DetectionDocument): object {
  const numbers = new Map(media.map(({ mediaId }, n) => [mediaId, `medium ${n}`]));
  const text = JSON.stringify({ media, errors, warnings, status }, (name, value: unknown) => {
    if (name === 'mediaId' || name === 'parentMediaId' || name === 'DERIVATIVE_MEDIA_ID')
      return numbers.get(Number(value)) ?? value;
    return typeof value === 'string' && value.startsWith('file:') ? 'a file' : value;
  });
  return JSON.parse(text) as object;
}
