/** The folder of each upload, whose name is its id. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { PART } from '../../files/part-file.ts';

/** The time of the upload in base 36, random hexadecimal digits, and a hash of its user. */
const ID = /^([0-9a-z]{1,11})-[0-9a-f]{16}([0-9a-f]{8})$/;
const RANDOM_BYTES = 8;
const UPLOADER_DIGITS = 8;

/** A new upload id. `now`: milliseconds since the epoch. `user`: the unique name of a user. */
export const newUpload = (now: number, user: string): string =>
  `${now.toString(36)}-${randomBytes(RANDOM_BYTES).toString('hex')}${shortHash(user)}`;

const shortHash = (user: string) => createHash('sha256').update(user).digest('hex').slice(0, UPLOADER_DIGITS);

/** The hash of the user in the id of an upload. */
export const uploaderOf = (id: string): string => ID.exec(id)?.[2] ?? '';

/** True if this user sent the upload. The id has a short hash of the user. */
export const isUploadOf = (id: string, user: string): boolean => uploaderOf(id) === shortHash(user);

export const isUpload = (name: string): boolean => ID.test(name);

/** Time of the upload in milliseconds since the epoch. */
export const timeOf = (id: string): number => Number.parseInt(ID.exec(id)?.[1] ?? '0', 36);

/** The ids of all uploads, including incomplete ones. */
export async function uploadsIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter(isUpload);
}

/**
 * Arrival time of the last bytes of an incomplete upload, in milliseconds since the epoch. Undefined if the upload is complete or deleted.
 */
export async function lastPieceOf(folder: string, id: string): Promise<number | undefined> {
  const own = path.join(folder, id);
  const times: number[] = [];
  for (const name of ['', ...(await readdir(own).catch(() => []))]) {
    if (name !== '' && !name.endsWith(PART)) return undefined;
    times.push((await stat(path.join(own, name)).catch(() => undefined))?.mtimeMs ?? 0);
  }
  return Math.max(...times) === 0 ? undefined : Math.max(...times);
}

/** An incomplete upload in pieces. */
export interface Unfinished {
  /** Path of its file while it is incomplete. */
  readonly path: string;
  /** Name of its complete file. */
  readonly name: string;
  /** Bytes of the complete upload. */
  readonly bytes: number;
  readonly received: number;
}

/** The name, a character that no upload name contains, and the bytes of the complete upload. */
const UNFINISHED = /^(.+)@(\d{1,15})\.part$/;
export const unfinishedName = (name: string, bytes: number): string => `${name}@${bytes}${PART}`;

/** The state of an upload in pieces. Undefined if the upload is of another kind, complete, or deleted. */
export async function unfinishedIn(folder: string, id: string): Promise<Unfinished | undefined> {
  const files = isUpload(id) ? await readdir(path.join(folder, id)).catch(() => []) : [];
  const [file, name = '', bytes] = files.map((one) => UNFINISHED.exec(one)).find((one) => one !== null) ?? [];
  if (file === undefined) return undefined;
  const place = path.join(folder, id, file);
  const received = (await stat(place).catch(() => undefined))?.size;
  return received === undefined ? undefined : { path: place, name, bytes: Number(bytes), received };
}

/** The bytes of an upload, or its final size if it is incomplete. Undefined if the size is unknown, or if the upload was deleted. */
export const reservedBytes = async (folder: string, id: string): Promise<number | undefined> =>
  (await bytesOf(folder, id)) ?? (await unfinishedIn(folder, id))?.bytes;

/** The file of a complete upload. */
export async function fileOf(folder: string, id: string): Promise<string | undefined> {
  const files = isUpload(id) ? await readdir(path.join(folder, id)).catch(() => []) : [];
  const name = files.find((file) => !file.endsWith(PART));
  return name === undefined ? undefined : path.join(folder, id, name);
}

/** The bytes of a complete upload. Undefined if it is incomplete, or was deleted. */
export async function bytesOf(folder: string, id: string): Promise<number | undefined> {
  try {
    const name = (await readdir(path.join(folder, id))).find((file) => !file.endsWith(PART));
    return name === undefined ? undefined : (await stat(path.join(folder, id, name))).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
