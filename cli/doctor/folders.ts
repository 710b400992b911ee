import { constants } from 'node:fs';
import { access, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { listModels } from '../../components/shared/model-files/model-list.ts';
import type { Settings } from '../../config/settings.ts';
import { codeOf } from '../terminal/failure.ts';
import { findingsOn, reasonOf, type Finding } from './check-result.ts';

const MIB = 2 ** 20;
/** Numbers by which Linux identifies network file systems. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB2',
};

/** Checks that the data folder is writable, has free space, and is on a disk that the database can use. */
export async function checkDataFolder({
  DATA_DIR: folder,
  MIN_FREE_BYTES,
  STORE,
}: Settings): Promise<readonly Finding[]> {
  const { ok, warning, error } = findingsOn('data');
  const existing = await nearestFolder(folder);
  const problem = existing === folder ? await writeProblem(folder) : await accessProblem(existing);
  if (problem !== undefined)
    return [
      error(
        existing === folder
          ? `DATA_DIR ${folder} cannot be written: ${problem}.`
          : `DATA_DIR ${folder} does not exist and cannot be created in ${existing}: ${problem}.`,
        'Give the user of the server the right to write there, or set DATA_DIR to another folder.',
      ),
    ];
  const { bavail, bsize, type } = await statfs(existing);
  const free = Math.floor((bavail * bsize) / MIB);
  const least = Math.ceil(MIN_FREE_BYTES / MIB);
  const network = STORE === 'sqlite' ? NETWORK[type] : undefined;
  return [
    free < least
      ? error(
          `DATA_DIR ${folder} has ${free} MiB free, less than MIN_FREE_BYTES (${least} MiB): the server accepts no jobs.`,
          'Free disk space, delete old jobs, or set RETENTION_DAYS.',
        )
      : ok(`DATA_DIR ${folder} can be written, and ${free} MiB are free.`),
    ...(network === undefined
      ? []
      : [
          warning(
            `DATA_DIR ${folder} is on a network file system (${network}), which can damage the database.`,
            'Set DATA_DIR to a folder on a local disk.',
          ),
        ]),
  ];
}

/** Checks the folders that the server reads. */
export async function checkFolders(settings: Settings): Promise<readonly Finding[]> {
  const { MEDIA_ROOTS, COMPONENT_FOLDERS } = settings;
  const media = await unreadable('media', 'MEDIA_ROOTS', MEDIA_ROOTS);
  const components = await unreadable('components', 'COMPONENT_FOLDERS', COMPONENT_FOLDERS);
  const { ok } = findingsOn('media');
  if (media.length > 0) return [...media, ...components];
  return [
    ok(
      MEDIA_ROOTS.length === 0
        ? 'MEDIA_ROOTS is empty: jobs use uploads and URLs only.'
        : `The folders of MEDIA_ROOTS can be read (${MEDIA_ROOTS.join(', ')}).`,
    ),
    ...components,
  ];
}

/** Checks the model files below MODEL_ROOTS. */
export async function checkModels({ MODEL_ROOTS, DATA_DIR }: Settings): Promise<readonly Finding[]> {
  const { ok, warning } = findingsOn('models');
  const isDefault = (folder: string) => folder === path.resolve(DATA_DIR, 'models');
  const missing = await unreadable(
    'models',
    'MODEL_ROOTS',
    MODEL_ROOTS.filter((root) => !isDefault(root)),
  );
  const { models, more } = await listModels(MODEL_ROOTS);
  const closed: string[] = [];
  for (const { name } of models) {
    const files = MODEL_ROOTS.map((root) => path.join(root, name));
    const reasons = await Promise.all(files.map((file) => accessProblem(file, constants.R_OK)));
    if (reasons.every((reason) => reason !== undefined)) closed.push(name);
  }
  return [
    ...missing,
    ...(closed.length === 0
      ? [ok(`${models.length}${more ? ' or more' : ''} model files can be read below MODEL_ROOTS.`)]
      : [
          warning(
            `These model files cannot be read: ${closed.slice(0, 5).join(', ')}.`,
            'Give the user of the server the right to read them.',
          ),
        ]),
  ];
}

async function unreadable(
  about: string,
  setting: string,
  folders: readonly string[],
): Promise<readonly Finding[]> {
  const { warning } = findingsOn(about);
  const found = await Promise.all(
    folders.map(async (folder) => {
      const isFolder = (await stat(folder).catch(() => undefined))?.isDirectory() ?? false;
      const problem = isFolder
        ? await accessProblem(folder, constants.R_OK | constants.X_OK)
        : ((await accessProblem(folder, constants.F_OK)) ?? 'it is no folder');
      return problem === undefined
        ? undefined
        : warning(
            `${folder} cannot be read: ${problem}.`,
            `Correct ${setting}, or the rights of the folder.`,
          );
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** Returns the folder itself, or the nearest folder above it that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = (await stat(folder).catch(() => undefined)) !== undefined;
  const parent = path.dirname(folder);
  return isThere || parent === folder ? folder : nearestFolder(parent);
}

async function writeProblem(folder: string): Promise<string | undefined> {
  try {
    const made = await mkdtemp(path.join(folder, '.doctor-'));
    await rm(made, { recursive: true });
    return undefined;
  } catch (error) {
    return wordsFor(error);
  }
}

async function accessProblem(
  file: string,
  mode: number = constants.W_OK | constants.X_OK,
): Promise<string | undefined> {
  try {
    await access(file, mode);
    return undefined;
  } catch (error) {
    return wordsFor(error);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is no folder',
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
};
const wordsFor = (error: unknown): string => WORDS[codeOf(error) ?? ''] ?? reasonOf(error);
