/** Media for a service that shares no files with this machine (POST /rest/media). */
import { stat } from 'node:fs/promises';
import type { MediumArgument } from '../arguments/media-arguments.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { nearName } from '../terminal/names.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { sendFile, uploadPath, type StoredMedium } from '../../client/verbs/media.ts';

/** The uploads of a command that no job uses yet. */
export class Uploads {
  readonly #client: RestClient;
  readonly #terminal: Terminal;
  readonly #byFile = new Map<string, StoredMedium>();

  constructor(client: RestClient, terminal: Terminal) {
    this.#client = client;
    this.#terminal = terminal;
  }

  /** Uploads these files and returns the media with their new URIs. A file named twice is uploaded once. @throws RefusedError */
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

  /** Deletes the uploads if no job was created. Uploads that cannot be deleted now expire later. */
  async remove(): Promise<void> {
    for (const { id } of this.#byFile.values())
      await this.#client
        .ask({ method: 'DELETE', path: uploadPath(id), impatient: true })
        .catch(() => undefined);
    this.#byFile.clear();
  }

  async #send(file: string, signal: AbortSignal): Promise<StoredMedium> {
    const { size } = await stat(file);
    this.#terminal.note(`Uploading ${nearName(file)} (${sizeText(size)})`);
    return sendFile(this.#client, file, { signal });
  }
}

export const sizeText = (bytes: number) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
