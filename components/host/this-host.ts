/** Provides the input and output of a sub-job as files on this host. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Properties, ReportedTrack } from '../../domain/types.ts';
import type { DetectWork } from '../../protocol/detection-work.ts';
import type { Detector } from '../sdk/detector.ts';
import { onOwnDisk } from '../sdk/own-disk.ts';
import type { WorkContext } from '../sdk/work/work-context.ts';

/** Property of a track: path of a derivative medium's file. */
const DERIVED_PATH = 'DERIVATIVE_MEDIA_TEMP_PATH';
/** Maximum length of a name. Longer names are cut at the beginning, because the end has the extension. */
const MOST_CHARACTERS = 60;

export interface OnThisHost {
  readonly work: DetectWork;
  /** Returns a track in which its files have their names on the server. */
  toServerNames(track: ReportedTrack): Promise<ReportedTrack>;
  close(): Promise<void>;
}

type Given = Pick<WorkContext, 'medium' | 'sendFile'>;

/** Provides the files. A detector that only reads tracks needs no medium, so none is fetched. */
export async function onThisHost(detector: Detector, work: DetectWork, given: Given): Promise<OnThisHost> {
  const readsTracks = work.feedForward !== undefined && detector.fed !== undefined;
  const medium = readsTracks ? undefined : await given.medium?.(work.medium);
  try {
    const sent = await outputOn(work, given);
    const path = medium?.path ?? work.medium.path;
    return {
      work: { ...work, ...sent?.folder, medium: { ...work.medium, path } },
      toServerNames: (track) => sent?.toServerNames(track) ?? Promise.resolve(track),
      async close() {
        await Promise.all([medium?.close(), sent?.close()]);
      },
    };
  } catch (error) {
    await medium?.close();
    throw error;
  }
}

/**
 * Returns undefined if the server can read the files where they are made. The server creates the folder itself for components that it did
 * not start. A component that does not see this folder is on another host.
 */
async function outputOn({ outputFolder, besideServer }: DetectWork, { sendFile }: Given) {
  if (outputFolder === undefined || sendFile === undefined || besideServer === true) return undefined;
  if (await isFolder(outputFolder)) return undefined;
  const folder = await onOwnDisk(mkdtemp(join(tmpdir(), 'troupe-made-')));
  const sent = new Map<string, string>();
  const sentPath = async (path: string) => {
    const known = sent.get(path) ?? (await sendFile(nameOf(path, sent.size), path));
    sent.set(path, known);
    return known;
  };
  return {
    folder: { outputFolder: folder },
    async toServerNames(track: ReportedTrack): Promise<ReportedTrack> {
      const path = track.properties[DERIVED_PATH];
      if (path === undefined) return track;
      const there = await sentPath(path);
      const renameFiles = (properties: Properties): Properties =>
        properties[DERIVED_PATH] === undefined ? properties : { ...properties, [DERIVED_PATH]: there };
      const detections = track.detections.map((one) => ({ ...one, properties: renameFiles(one.properties) }));
      return { ...track, properties: renameFiles(track.properties), detections };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

const isFolder = (path: string) => stat(path).then((found) => found.isDirectory(), () => false); // oxfmt-ignore

/** Returns a unique name, because two folders may contain files with the same name. */
const nameOf = (path: string, number: number): string =>
  `${number}-${basename(path)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(-MOST_CHARACTERS)}`;
