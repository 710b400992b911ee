/** Media for a service that shares no files with this machine (POST /rest/media). */
import type { Uploaded } from '../../client/answers.ts';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { MediumArgument } from '../arguments/media-arguments.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { nearName } from '../terminal/names.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { RefusedError } from '../../client/errors.ts';
import type { Answer, Call } from '../../client/transport.ts';

/** The service writes the last of it to its disk before it answers. */
const ANSWER_MS = 300_000;
const LONGEST_NAME = 255;

/** The file as it lies on the disk, piece by piece: the size of a medium is no matter. */
export async function uploadCall(file: string): Promise<Call> {
  const { size } = await stat(file);
  const name = path.basename(file).slice(0, LONGEST_NAME);
  return {
    method: 'POST',
    path: `/rest/media?${new URLSearchParams({ name }).toString()}`,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    body: () => createReadStream(file),
    answerMs: ANSWER_MS,
    once: 'medium',
  };
}

export const uploadPath = (id: string) => `/rest/media/${encodeURIComponent(id)}`;

/** Does this answer come from a service that takes no uploads? */
export const takesNone = ({ status }: Pick<Answer, 'status'>) => status === 404 || status === 405;
export const TAKES_NONE = 'This service has an earlier version that does not accept uploads.';

/** What a command has uploaded, until a job has it. */
export class Uploads {
  readonly #client: RestClient;
  readonly #terminal: Terminal;
  readonly #byFile = new Map<string, Uploaded>();

  constructor(client: RestClient, terminal: Terminal) {
    this.#client = client;
    this.#terminal = terminal;
  }

  /** The same media, with these files uploaded; one that is named twice is sent once. @throws RefusedError */
  async of(
    media: readonly MediumArgument[],
    files: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly MediumArgument[]> {
    for (const file of files)
      if (!this.#byFile.has(file)) this.#byFile.set(file, await this.#send(file, signal));
    return media.map((medium) => {
      const found = medium.file === undefined ? undefined : this.#byFile.get(medium.file);
      return found === undefined ? medium : { ...medium, uri: found.mediaUri };
    });
  }

  /** No job came of them. What cannot be removed now goes when its time is over. */
  async remove(): Promise<void> {
    for (const { id } of this.#byFile.values())
      await this.#client
        .ask({ method: 'DELETE', path: uploadPath(id), impatient: true })
        .catch(() => undefined);
    this.#byFile.clear();
  }

  async #send(file: string, signal: AbortSignal): Promise<Uploaded> {
    const { size } = await stat(file);
    this.#terminal.note(`Uploading ${nearName(file)} (${sizeText(size)})`);
    const answer = await this.#client.ask(await uploadCall(file), signal);
    if (takesNone(answer)) throw new RefusedError(answer.status, TAKES_NONE);
    return this.#client.good(answer) as Uploaded;
  }
}

export const sizeText = (bytes: number) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
