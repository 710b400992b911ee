/** Uploads in pieces. Each piece continues where the last one ended. When a connection breaks, the server keeps the received pieces. */
import { mkdir, open, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { copyInto } from '../../files/copy-into.ts';
import { syncFolder } from '../../files/folders.ts';
import { removeFolder } from '../../files/remove.ts';
import type { Clock } from '../basics/clock.ts';
import { uploadFileName } from './file-name.ts';
import { fileOf, isUploadOf, newUpload, unfinishedIn, unfinishedName, type Unfinished } from './folders.ts';
import { MinimumRate } from './minimum-rate.ts';
import { Refused, refusalOf, type Refusal } from './refusal.ts';
import type { Uploader } from './usage.ts';

interface PiecesDeps {
  readonly folder: string;
  readonly clock: Clock;
  /** Time within which an upload must receive another part of a piece. */
  readonly paceMs: number;
  /** Time for which an upload is kept after its last piece. */
  readonly keepMs: number;
  /** Reserves space for an upload. @throws Refused */
  reserve(id: string, bytes: number, by: Uploader): void;
  /** Releases its space. */
  drop(id: string): void;
  /** @throws Refused if the disk has no space for this many bytes */
  lookAtDisk(coming: number): Promise<void>;
  /** Time at which a complete upload expires, in milliseconds since the epoch. */
  expiry(id: string): number;
}

/** State of an upload in pieces. */
export interface Pieces {
  readonly kind: 'pieces';
  readonly id: string;
  /** Bytes of the complete upload. */
  readonly bytes: number;
  readonly received: number;
  /** The URI of the medium for jobs. Undefined if the upload is incomplete. */
  readonly uri: string | undefined;
  /** Time at which it is deleted unless more pieces arrive, in milliseconds since the epoch. */
  readonly expires: number;
}

export type PieceOutcome =
  | Pieces
  | { readonly kind: 'unknown' | 'foreign' }
  /** The piece does not start where the upload ends. */
  | { readonly kind: 'wrongOffset'; readonly received: number }
  | Refusal;

interface Sender {
  readonly source: Readable;
  readonly done: Promise<unknown>;
}

/** Number of received bytes after which the free disk space is checked again. */
const LOOK_AGAIN = 64 * 1024 * 1024;
const MODE = 0o600;

export class PieceUploads {
  readonly #deps: PiecesDeps;
  /** Connections that are sending now, by upload. */
  readonly #senders = new Map<string, Sender>();

  constructor(deps: PiecesDeps) {
    this.#deps = deps;
  }

  /** Reserves space for a medium of this size. `name`: file name at the client. */
  async begin(name: string, bytes: number, by: Uploader): Promise<Pieces | Refusal> {
    const { folder, clock, reserve, drop, lookAtDisk } = this.#deps;
    const id = newUpload(clock.now(), by.user);
    const place = path.join(folder, id);
    try {
      reserve(id, bytes, by);
      await lookAtDisk(bytes);
      await mkdir(place, { mode: 0o700 });
      await writeFile(path.join(place, unfinishedName(uploadFileName(name), bytes)), '', { mode: MODE });
      await syncFolder(folder);
    } catch (error) {
      drop(id);
      await removeFolder(place);
      if (error instanceof Refused) return error.refusal;
      throw error;
    }
    return this.#unfinishedState(id, { bytes, received: 0 });
  }

  /** @param by the user, who can see own uploads only; absent: may see all */
  async look(id: string, by?: string): Promise<Pieces | { readonly kind: 'unknown' | 'foreign' }> {
    if (by !== undefined && !isUploadOf(id, by)) return { kind: 'foreign' };
    const unfinished = await unfinishedIn(this.#deps.folder, id);
    return unfinished === undefined ? this.#wholeState(id) : this.#unfinishedState(id, unfinished);
  }

  /** Adds a piece. An earlier sender is cut off, because its connection must have broken without a notice. */
  async receive(id: string, offset: number, source: Readable, by: string | undefined): Promise<PieceOutcome> {
    if (by !== undefined && !isUploadOf(id, by)) return { kind: 'foreign' };
    await this.stop(id);
    const done = this.#receive(id, offset, source);
    const sender = { source, done };
    this.#senders.set(id, sender);
    try {
      return await done;
    } finally {
      if (this.#senders.get(id) === sender) this.#senders.delete(id);
    }
  }

  /** Stops the current sender. */
  async stop(id: string): Promise<void> {
    for (let sender = this.#senders.get(id); sender !== undefined; sender = this.#senders.get(id)) {
      sender.source.destroy();
      await sender.done.catch(() => undefined);
      if (this.#senders.get(id) === sender) this.#senders.delete(id);
    }
  }

  async #receive(id: string, offset: number, source: Readable): Promise<PieceOutcome> {
    const unfinished = await unfinishedIn(this.#deps.folder, id);
    const found =
      unfinished === undefined ? await this.#wholeState(id) : this.#unfinishedState(id, unfinished);
    if (found.kind !== 'pieces') return found;
    if (offset !== found.received) return { kind: 'wrongOffset', received: found.received };
    if (unfinished === undefined) return found;
    try {
      const received = offset + (await this.#append(unfinished, source));
      if (received < unfinished.bytes) return this.#unfinishedState(id, { ...unfinished, received });
    } catch (error) {
      return refusalOf(error, source);
    }
    await this.#finish(id, unfinished);
    return this.#wholeState(id);
  }

  /** Returns the number of received bytes. Bytes received before an error are kept. */
  async #append({ path: part, bytes, received }: Unfinished, source: Readable): Promise<number> {
    const { clock, paceMs, lookAtDisk } = this.#deps;
    const rate = new MinimumRate(clock, paceMs, () => source.destroy());
    const file = await open(part, 'r+');
    try {
      let looked = 0;
      const arriving = async (_: Buffer, size: number) => {
        rate.noteBytes(size);
        if (received + size > bytes)
          throw new Refused('tooLarge', `The upload has ${bytes} bytes, and this piece ends after them.`);
        if (size - looked < LOOK_AGAIN) return;
        looked = size;
        await lookAtDisk(0);
      };
      return await copyInto(source, file, arriving, received);
    } finally {
      rate.end();
      await file.datasync();
      await file.close();
    }
  }

  async #finish(id: string, { path: part, name }: Unfinished): Promise<void> {
    const place = path.join(this.#deps.folder, id);
    await rename(part, path.join(place, name)).catch((error: NodeJS.ErrnoException) => {
      // Another server has received the last piece, too.
      if (error.code !== 'ENOENT') throw error;
    });
    await syncFolder(place);
  }

  async #wholeState(id: string): Promise<Pieces | { readonly kind: 'unknown' }> {
    const file = await fileOf(this.#deps.folder, id);
    const bytes = file === undefined ? undefined : (await stat(file).catch(() => undefined))?.size;
    if (file === undefined || bytes === undefined) return { kind: 'unknown' };
    const expires = this.#deps.expiry(id);
    return { kind: 'pieces', id, bytes, received: bytes, uri: pathToFileURL(file).href, expires };
  }

  #unfinishedState(id: string, { bytes, received }: Pick<Unfinished, 'bytes' | 'received'>): Pieces {
    const { clock, keepMs } = this.#deps;
    return { kind: 'pieces', id, bytes, received, uri: undefined, expires: clock.now() + keepMs };
  }
}
