/** The FILE arguments of a command as media URIs. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Failure } from './failure.ts';

export interface MediumArgument {
  readonly uri: string;
  /** The file on this machine, when the argument named one. */
  readonly file?: string;
  /** Folder that a service must have among its media roots to read the medium; none when it is fetched or given whole. */
  readonly folder?: string;
}

/** Files by their URIs, checked, and http:, https:, data: and file: URIs as they are. @throws Failure */
export async function mediaOf(args: readonly string[]): Promise<readonly MediumArgument[]> {
  const found = await Promise.allSettled(args.map(mediumOf));
  const problems = found.flatMap((result) => (result.status === 'rejected' ? [reasonOf(result.reason)] : []));
  if (problems.length > 0) throw new Failure(problems.join('\n'));
  return found.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function mediumOf(argument: string): Promise<MediumArgument> {
  if (/^(https?|data):/i.test(argument)) return { uri: argument };
  if (/^file:/i.test(argument)) return namedByUri(argument);
  const file = path.resolve(argument);
  await mustBeReadable(file, argument);
  return { uri: pathToFileURL(file).href, file, folder: path.dirname(await realpath(file)) };
}

/** The service says what is wrong with the URI: the file may lie on another machine. */
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
      ? ' Of URIs, file:, http:, https: and data: are known.'
      : '';
    throw new Failure(`There is no file ${argument}.${scheme}`);
  }
  if (found.isDirectory()) throw new Failure(`${argument} is a folder: name the files in it.`);
  if (!found.isFile()) throw new Failure(`${argument} is no regular file.`);
  await access(file, constants.R_OK).catch(() => {
    throw new Failure(`${argument} may not be read by this user.`);
  });
}

const reasonOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
