/** Removes files of a job: all files, those of an ended run, or those that nothing refers to. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from '../../../config/logger.ts';
import { pathOf, type FileKey } from '../../../results/file-keys.ts';
import {
  artifactsFolder,
  artifactsFolders,
  detectionFile,
  derivativeFolders,
  framesFolder,
  looseFiles,
  markupFolders,
  mediaFolder,
  outputFolder,
  outputFolders,
  runFolder,
  spoolFolder,
  thumbnailsFolder,
} from '../../../results/layout.ts';
import { removeFile, removeFolder, removeOthers, removeParts } from '../../../files/remove.ts';
import { allRows, type Store } from '../../../store/store.ts';
import { BATCH_JOB, runPrefix } from '../state/keys.ts';
import { requestFilesOf } from './data-uris.ts';
import type { JobSettings } from '../state/context.ts';
import type { RunFiles } from '../state/effects.ts';
import { baseRunOf, foldersOf, type JobRecord } from '../state/record.ts';
import type { JobState, SubJobRow } from '../state/state.ts';

export interface CleanupDeps {
  readonly store: Store;
  readonly settings: JobSettings;
  readonly logger: Logger;
}

/**
 * Removes fetched media, spool and results of an ended run, and for a deleted job also the files of its request. Returns false if some
 * files remain. The next start tries again.
 */
export async function removeFiles(
  { settings, logger }: CleanupDeps,
  { jobId, media }: JobRecord,
  { run, removed }: Pick<JobState, 'run' | 'removed'>,
  which: RunFiles,
): Promise<boolean> {
  const name = runFolder(jobId, run);
  const folders = [
    mediaFolder(name),
    ...(which === 'MEDIA' ? [] : [spoolFolder(jobId, run)]),
    ...(which === 'ALL' ? [...outputFolders(name), framesFolder(name)] : []),
  ];
  const files = [...looseFiles(name, media.length), ...(removed ? requestFilesOf({ media }) : [])];
  let all = true;
  const removeAll = async (keys: readonly FileKey[], remove: (path: string) => Promise<void>) => {
    for (const place of keys.map((key) => pathOf(settings.dataDir, key)))
      await remove(place).catch((error: unknown) => {
        all = false;
        notRemoved(logger, place, error);
      });
  };
  await removeAll(files, removeFile);
  await removeAll(folders, removeFolder);
  return all;
}

/**
 * Removes files that nothing refers to. These are derivative media of attempts that did not count, artifacts and copies of cancelled or
 * failed sub-jobs, and partial files of killed components.
 */
export async function removeStrays(deps: CleanupDeps, record: JobRecord, state: JobState): Promise<void> {
  const { settings, logger } = deps;
  const inData = (key: FileKey) => pathOf(settings.dataDir, key);
  const name = foldersOf(record, state);
  const logFailure = (folder: string) => (error: unknown) => notRemoved(logger, folder, error);
  const derived = inData(derivativeFolders(name));
  const kept = new Set(state.media.flatMap(({ derived: one }) => (one === null ? [] : [inData(one.path)])));
  await removeOthers(derived, (file) => kept.has(file)).catch(logFailure(derived));
  // If nothing failed and nothing was repeated, the document refers to every picture and every copy.
  if (state.status !== 'IN_PROGRESS' || state.baseRun !== undefined) {
    const pictures = inData(artifactsFolders(name));
    const copies = inData(markupFolders(name));
    const named = await namedPlaces(deps, record, state);
    await removeOthers(pictures, (file) => named.has(actionFolder(pictures, file))).catch(
      logFailure(pictures),
    );
    await removeOthers(copies, (file) => named.has(file)).catch(logFailure(copies));
  }
  // Skips the folder of the document, because a sub-job is writing the document to it.
  const documents = inData(outputFolder(name));
  for (const folder of outputFolders(name).map(inData))
    if (folder !== documents) await removeParts(folder).catch(logFailure(folder));
}

/** Returns the folder of the action and medium that contains a picture: see `artifactsFolder`. */
const actionFolder = (pictures: string, file: string): string =>
  path.join(pictures, ...path.relative(pictures, file).split(path.sep).slice(0, 3));

/** Returns the folders of artifacts, and the marked-up copies, that rows of the job refer to. */
async function namedPlaces(
  { store, settings }: Pick<CleanupDeps, 'store' | 'settings'>,
  record: JobRecord,
  state: Pick<JobState, 'run' | 'baseRun'>,
): Promise<ReadonlySet<string>> {
  const name = foldersOf(record, state);
  const mediaIds = record.media.map(({ mediaId }) => mediaId);
  const keys: (() => FileKey)[] = [];
  const actor = { kind: BATCH_JOB, id: String(record.number) };
  for await (const { body } of allRows(store, actor, runPrefix(baseRunOf(state)))) {
    const { kind, state: done, medium, stage, action, markup, derivedAt = 0, summary } = body as SubJobRow;
    if (done !== 'DONE' || stage.name !== 'TASK') continue;
    const task = stage.index;
    if (kind === 'FINISH')
      for (const [n, { mediaId }] of (summary?.derived ?? []).entries()) mediaIds[derivedAt + n] = mediaId;
    if (kind === 'MARKUP' && markup !== undefined) keys.push(() => markup.path);
    // A later row may derive this medium, so the key is computed at the end.
    if (kind === 'ARTIFACTS')
      keys.push(() => artifactsFolder(name, { mediaId: mediaIds[medium]!, task, action }));
  }
  return new Set(keys.map((key) => pathOf(settings.dataDir, key())));
}

/** Removes files that were created from a document for viewers. A retry creates them again. */
export async function removeViews(
  deps: CleanupDeps,
  record: JobRecord,
  state: Pick<JobState, 'run' | 'baseRun'>,
): Promise<void> {
  const name = foldersOf(record, state);
  const inData = (key: FileKey) => pathOf(deps.settings.dataDir, key);
  const [frames, results, small] = [framesFolder(name), outputFolder(name), thumbnailsFolder(name)].map(
    inData,
  );
  const document = inData(detectionFile(name));
  for (const [place, removed] of [
    [frames!, removeFolder(frames!)],
    [results!, removeOthers(results!, (file) => !file.startsWith(`${document}.`))],
    [small!, removeOthers(small!, (file) => !isOfOpen(record, file))],
    [inData(artifactsFolders(name)), removeUnnamedPictures(deps, record, state)],
  ] as const)
    await removed.catch((error: unknown) => notRemoved(deps.logger, place, error));
}

/** Removes pictures of actions without a row. At the beginning of a run, no component writes pictures. */
async function removeUnnamedPictures(
  deps: CleanupDeps,
  record: JobRecord,
  state: Pick<JobState, 'run' | 'baseRun'>,
): Promise<void> {
  const pictures = pathOf(deps.settings.dataDir, artifactsFolders(foldersOf(record, state)));
  if (!existsSync(pictures)) return;
  const named = await namedPlaces(deps, record, state);
  await removeOthers(pictures, (file) => named.has(actionFolder(pictures, file)));
}

/** True if a thumbnail shows a medium that is retried, or a derivative medium, whose place may change. */
function isOfOpen({ media, retry }: JobRecord, thumbnail: string): boolean {
  const place = Number.parseInt(path.basename(thumbnail), 10);
  return place >= media.length || retry?.open.includes(place) === true;
}

function notRemoved(logger: Logger, place: string, err: unknown): void {
  logger.warn({ err, place }, 'could not remove files of a job');
}
