/** The FILE arguments of a command as media URIs. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Failure } from '../terminal/failure.ts';
import { printable } from '../../domain/text/printable.ts';

export interface MediumArgument {
  readonly uri: string;
  /** The local file, if the argument names one. */
  readonly file?: string;
  /** Folder that must be in MEDIA_ROOTS for the service to read the medium. Absent if the medium is fetched or uploaded. */
  readonly folder?: string;
  /** Ranges of pages to process. Absent: all pages. */
  readonly frameRanges?: readonly { readonly start: number; readonly stop: number }[];
}

/** Rules for folders as arguments. */
export interface Folders {
  /** Folder that is never searched, because a service keeps its own files in it. */
  readonly except: string;
  /** Prints the number of media in each folder. */
  readonly note: (text: string) => void;
}

/**
 * Returns the media of the arguments. Files become URIs and are checked. http:, https:, data: and file: URIs stay as they are. If `folders`
 * is given, folders yield all media below them.
 * @throws Failure
 */
export async function mediaOf(
  args: readonly string[],
  folders?: Folders,
): Promise<readonly MediumArgument[]> {
  const found = await Promise.allSettled(args.map((argument) => mediaOfOne(argument, folders)));
  const problems = found.flatMap((result) => (result.status === 'rejected' ? [reasonOf(result.reason)] : []));
  if (problems.length > 0) throw new Failure(problems.join('\n'));
  return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

async function mediaOfOne(
  argument: string,
  folders: Folders | undefined,
): Promise<readonly MediumArgument[]> {
  if (/^(https?|data):/i.test(argument)) return [{ uri: argument }];
  if (/^file:/i.test(argument)) return [await namedByUri(argument)];
  const file = path.resolve(argument);
  if (folders !== undefined && (await isFolder(file))) return mediaInFolder(file, argument, folders);
  await mustBeReadable(file, argument);
  return [await localMedium(file)];
}

async function mediaInFolder(
  folder: string,
  argument: string,
  { except, note }: Folders,
): Promise<readonly MediumArgument[]> {
  const { mediaBelow } = await import('./media-folders.ts');
  const { files, others } = await mediaBelow(folder, except);
  const passed = others === 0 ? '' : `; ${others} other ${others === 1 ? 'file is' : 'files are'} skipped`;
  if (files.length === 0)
    throw new Failure(
      `There are no pictures, videos, sounds, PDF or office documents in ${printable(argument)}${passed}.`,
    );
  note(`${printable(argument)}: ${files.length} ${files.length === 1 ? 'medium' : 'media'}${passed}`);
  const media: MediumArgument[] = [];
  for (const file of files) {
    await mustBeReadable(file, path.relative('.', file));
    media.push(await localMedium(file));
  }
  return media;
}

const localMedium = async (file: string): Promise<MediumArgument> => ({
  uri: pathToFileURL(file).href,
  file,
  folder: path.dirname(await realpath(file)),
});

const isFolder = (file: string) =>
  stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Returns a file: URI as it is. The service reports problems with it, because the file may be on another machine. */
async function namedByUri(uri: string): Promise<MediumArgument> {
  try {
    return { uri, folder: path.dirname(await realpath(fileURLToPath(uri))) };
  } catch {
    return { uri };
  }
}

async function mustBeReadable(file: string, argument: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    const scheme = /^[a-z][a-z\d+.-]*:\/\//i.test(argument)
      ? ' URIs must start with file:, http:, https: or data:.'
      : '';
    throw new Failure(`There is no file ${argument}.${scheme}`);
  }
  if (found.isDirectory())
    throw new Failure(`${argument} is a folder. Name files in it, or add -r for all its media.`);
  if (!found.isFile()) throw new Failure(`${argument} is not a regular file.`);
  await access(file, constants.R_OK).catch(() => {
    throw new Failure(`${argument} cannot be read by this user.`);
  });
}

const reasonOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
