/** `troupe jobs fetch`: the document of a job with all its files, for clients that share no folder with the service. */
import type { Command } from 'commander';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { filesOf, type DocumentFile } from '../../../arguments/document-files.ts';
import { download } from '../../../../client/download.ts';
import { codeOf, EXIT, Failure } from '../../../terminal/failure.ts';
import { jobPath, type RestClient } from '../../../../client/rest-client.ts';
import { saveDocument } from '../../../terminal/save-document.ts';
import { printable } from '../../../../domain/text/printable.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { sizeText } from '../../uploads.ts';
import { clientOf, command, type RestOptions } from '../command.ts';
import { documentOf } from './job-output.ts';

interface FetchOptions extends RestOptions {
  readonly to?: string;
  readonly media?: boolean;
}

/** Number of concurrent downloads. */
const AT_ONCE = 4;
/** Time between two lines about the progress. */
const NEWS_MS = 2_000;

export function fetchCommand(jobs: Command, terminal: Terminal): void {
  const about = 'fetch the document of a job and its files';
  const codes = '0 fetched all files, 1 some are missing (standard error says which), 2 fetched nothing';
  command(jobs, 'fetch <ID>', about)
    .option('--to <FOLDER>', 'folder to write; default: the id of the job')
    .option('--media', 'the media of the job, too')
    .addHelpText(
      'after',
      `\nExisting files are not fetched again. Interrupted ones resume.\nExit code: ${codes}.`,
    )
    .action(async (id: string, options: FetchOptions) => {
      process.exitCode = await fetchJob(id, options, terminal);
    });
}

async function fetchJob(id: string, options: FetchOptions, terminal: Terminal): Promise<number> {
  const client = await clientOf(options, terminal);
  const { jobId } = await client.job(id);
  const folder = options.to ?? jobId;
  const document = path.join(folder, 'detection.json');
  const stream = await documentOf(id, client, {});
  try {
    makeFolder(folder);
  } catch (error) {
    stream.destroy();
    throw error;
  }
  await saveDocument(stream, document);
  const fetching = new Fetching(client, jobPath(id), folder, terminal);
  await fetching.all(selectFiles(filesOf(document), options.media === true));
  terminal.print(fetching.summary);
  return fetching.missing + fetching.elsewhere === 0 ? EXIT.done : EXIT.failed;
}

function makeFolder(folder: string): void {
  try {
    makeWithParents(path.resolve(folder));
  } catch (error) {
    throw new Failure(`The folder ${folder} cannot be made (${codeOf(error)}): name another one by --to.`);
  }
}

/**
 * Creates a folder with its parents. Node's recursive mkdir never ends if the system reports ENOENT for a folder whose parent exists.
 * Examples are /proc and folders that are mounted on use.
 */
function makeWithParents(folder: string): void {
  const above = path.dirname(folder);
  if (existsSync(folder)) return;
  if (above !== folder) makeWithParents(above);
  mkdirSync(folder);
}

async function* selectFiles(
  files: AsyncIterable<DocumentFile>,
  media: boolean,
): AsyncGenerator<DocumentFile> {
  for await (const file of files) if (media || file.kind !== 'medium') yield file;
}

/** Downloads a few files at a time and counts the results. */
class Fetching {
  readonly #client: RestClient;
  readonly #job: string;
  readonly #folder: string;
  readonly #terminal: Terminal;
  #fetched = 0;
  #there = 0;
  #bytes = 0;
  #toldAt = performance.now();
  missing = 0;
  elsewhere = 0;

  constructor(client: RestClient, job: string, folder: string, terminal: Terminal) {
    this.#client = client;
    this.#job = job;
    this.#folder = folder;
    this.#terminal = terminal;
  }

  async all(files: AsyncIterable<DocumentFile>): Promise<void> {
    const iterator = files[Symbol.asyncIterator]();
    const work = async () => {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        await this.#one(next.value);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  get summary(): string {
    const there = this.#there === 0 ? '' : `, ${countOfFiles(this.#there)} there already`;
    const missing = this.missing === 0 ? '' : `, ${countOfFiles(this.missing)} not available`;
    const elsewhere = this.elsewhere === 0 ? '' : `, ${countOfFiles(this.elsewhere)} elsewhere`;
    return `The document and ${countOfFiles(this.#fetched)} (${sizeText(this.#bytes)}) fetched${there}${missing}${elsewhere}: ${this.#folder}`;
  }

  async #one({ href, uri, file }: DocumentFile): Promise<void> {
    if (href === null) return this.#liesElsewhere(uri);
    const done = await download(this.#client, `${this.#job}/${href}`, path.join(this.#folder, file));
    if (done.what === 'missing') {
      this.missing += 1;
      return this.#terminal.note(printable(`${file}: ${done.message}`));
    }
    if (done.what === 'there') this.#there += 1;
    else {
      this.#fetched += 1;
      this.#bytes += done.bytes;
    }
    const now = performance.now();
    if (now - this.#toldAt < NEWS_MS) return;
    this.#toldAt = now;
    this.#terminal.note(`${countOfFiles(this.#fetched + this.#there)}, ${sizeText(this.#bytes)}`);
  }

  /** Reports only the first such file, because a bucket usually has all of them. */
  #liesElsewhere(uri: string): void {
    if (this.elsewhere === 0)
      this.#terminal.note(`Not on the server, but where the document says: ${printable(uri)}`);
    this.elsewhere += 1;
  }
}

const countOfFiles = (files: number) => (files === 1 ? '1 file' : `${files} files`);
