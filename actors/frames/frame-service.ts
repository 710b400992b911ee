/**
 * Gets frames from the media component for waiting clients. Requested frames are in the work ledger like all work, so a component is
 * started when none runs. The waiting clients are in memory: a client whose server died repeats its request.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FailureRequest } from '../../protocol/coded-error.ts';
import type { FindingsWork } from '../../protocol/document-work.ts';
import type { FrameWork } from '../../protocol/media-work.ts';
import { MEDIA_QUEUES, type ViewAssignment } from '../../protocol/worker-protocol.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { FRAMES } from '../../results/layout.ts';
import type { Lease, News, WorkItem } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { ACCEPTED, LOST, type AnswerOutcome } from '../../protocol/answer-outcome.ts';
import { FrameCache } from './frame-cache.ts';

/** The kind of actor that owns frames in the ledger. */
export const FRAME = 'frame';
/** A user waits for the picture, so the priority is high. */
const PRIORITY = 9;

export interface FrameSettings {
  /** Maximum number of frames that are being made or wait. */
  readonly atOnce: number;
  readonly waitMs: number;
  readonly cacheBytes: number;
}

export interface FrameServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Id of this server process; a restart gets a new one. */
  readonly serverId: string;
  /** True if no other server uses the same store and DATA_DIR. */
  readonly alone: boolean;
  readonly dataDir: string;
  readonly heartbeatMs: number;
  readonly settings: FrameSettings;
}

export type Made =
  | { readonly kind: 'made'; readonly path: string }
  /** Too many frames are being made, or the client's deadline has passed. */
  | { readonly kind: 'busy'; readonly message: string }
  /** The file cannot be made. */
  | { readonly kind: 'failed'; readonly message: string };

/** The file to be made. */
type View =
  | { readonly kind: 'FRAME'; readonly work: FrameWork }
  | { readonly kind: 'FINDINGS'; readonly work: FindingsWork };

interface Wanted {
  readonly item: WorkItem;
  readonly view: View;
  /** Result of the item, however long it takes. Each client waits for it until its own deadline. */
  readonly made: Promise<Made>;
  end(made: Made): void;
}

/** Files that no server has made or renewed within this time are deleted, and made again on request. */
const USED_MS = 3_600_000;

/** Names for messages. */
const NAMES = { FRAME: 'frame', FINDINGS: 'index of the findings' } as const;

export class FrameService {
  readonly #deps: FrameServiceDeps;
  readonly #cache: FrameCache;
  /** By item id. */
  readonly #wanted = new Map<string, Wanted>();
  #count = 0;

  constructor(deps: FrameServiceDeps) {
    this.#deps = deps;
    this.#cache = new FrameCache(deps.settings.cacheBytes);
  }

  /** Deletes the files of earlier server processes. If other servers share the folder, only files older than USED_MS are deleted. */
  async clear(): Promise<void> {
    const { alone, dataDir, clock } = this.#deps;
    const folder = pathOf(dataDir, FRAMES);
    if (alone) await rm(folder, { recursive: true, force: true });
    else await removeOlder(folder, clock.now() - USED_MS);
  }

  /** Returns the file of this key with a frame or with the times of all frames. Makes the file if it does not exist. */
  makeFile(key: FileKey, work: Omit<FrameWork, 'to'>, priority = PRIORITY): Promise<Made> {
    const to = pathOf(this.#deps.dataDir, key);
    return this.#make({ kind: 'FRAME', work: { ...work, to } }, priority);
  }

  /** Like `makeFile`, for the index of a running job's findings. */
  makeIndex(key: FileKey, work: Omit<FindingsWork, 'to'>): Promise<Made> {
    const to = pathOf(this.#deps.dataDir, key);
    return this.#make({ kind: 'FINDINGS', work: { ...work, to } }, PRIORITY);
  }

  /** Deletes a file that is not needed any more. */
  async removeFile(key: FileKey): Promise<void> {
    await this.#cache.remove(pathOf(this.#deps.dataDir, key));
  }

  async #make(view: View, priority: number): Promise<Made> {
    const { to: path } = view.work;
    if (await this.#cache.has(path)) return { kind: 'made', path };
    const same = [...this.#wanted.values()].find((one) => one.view.work.to === path);
    if (same !== undefined) return this.#waitFor(same);
    const { atOnce } = this.#deps.settings;
    if (this.#wanted.size >= atOnce)
      return {
        kind: 'busy',
        message: `${atOnce} frames are being made already, which is the limit. Ask again.`,
      };
    return this.#begin(view, priority);
  }

  async #begin(view: View, priority: number): Promise<Made> {
    const { store } = this.#deps;
    const { actor, id } = nameOf(this.#deps.serverId, ++this.#count);
    const item: WorkItem = {
      id,
      // The client waits for each item, so components do these items before all their other work.
      actor,
      key: id,
      queue: MEDIA_QUEUES[view.kind],
      priority,
      kind: view.kind,
      attempt: 1,
      share: 0,
    };
    let tell: (made: Made) => void = () => undefined;
    const wanted: Wanted = {
      ...{ item, view },
      made: new Promise((resolve) => (tell = resolve)),
      end: (made) => {
        this.#wanted.delete(id);
        tell(made);
      },
    };
    this.#wanted.set(id, wanted);
    try {
      await mkdir(dirname(view.work.to), { recursive: true });
      await store.work.offer([item]);
    } catch (error) {
      wanted.end({ kind: 'busy', message: `The ${NAMES[view.kind]} could not be requested.` });
      throw error;
    }
    return this.#waitFor(wanted);
  }

  /**
   * At the deadline the client gets the answer to try again later. The work continues, so that files that take longer than the deadline get
   * done.
   */
  #waitFor(wanted: Wanted): Promise<Made> {
    const { clock, settings } = this.#deps;
    const { made } = wanted;
    return new Promise((resolve) => {
      const cancel = clock.after(settings.waitMs, () => {
        resolve(lateAnswer(wanted));
        void this.#lookFor(wanted).catch(() => undefined);
      });
      void made.then((outcome) => {
        cancel();
        resolve(outcome);
      });
    });
  }

  /** Ends the wait if the item is no longer in the ledger. Other servers delete the items of a server that they consider dead. */
  async #lookFor(wanted: Wanted): Promise<void> {
    const known = await this.#deps.store.work.listIds(wanted.item.actor);
    if (known.size === 0) wanted.end(lateAnswer(wanted));
  }

  /** The work for a component. Returns undefined if an earlier process of the server offered the item. */
  assignment({ item, token, last }: Lease): ViewAssignment | undefined {
    const wanted = this.#wanted.get(item.id);
    if (wanted === undefined) return undefined;
    return {
      ...{ token, id: item.id, algorithm: item.queue, attempt: item.attempt },
      heartbeatMs: this.#deps.heartbeatMs,
      ...(last === undefined ? {} : { last }),
      ...wanted.view,
    };
  }

  /** Accepts the result or the failure that a component reports. */
  async acceptAnswer({ item, token }: Lease, failure?: FailureRequest): Promise<AnswerOutcome> {
    await this.#deps.store.work.forget(token);
    const wanted = this.#wanted.get(item.id);
    if (wanted === undefined) return LOST;
    if (failure !== undefined) wanted.end({ kind: 'failed', message: failure.message });
    else wanted.end(await this.#waitForFile(wanted.view));
    return ACCEPTED;
  }

  /** Only this function ends the wait for an answered file, so errors are results, too. */
  async #waitForFile({ kind, work: { to: path } }: View): Promise<Made> {
    try {
      await this.#cache.add(path);
      return { kind: 'made', path };
    } catch {
      // The job was deleted meanwhile, or the disk does not respond.
      return { kind: 'busy', message: `The ${NAMES[kind]} was deleted. Request it again.` };
    }
  }

  /** Handles items whose component died, or for which no component can be started. */
  async tell(news: readonly News[]): Promise<void> {
    for (const one of news) {
      // Frames of another server are ignored, because that server gets the same news.
      if (!one.item.id.startsWith(nameOf(this.#deps.serverId, '').id)) continue;
      this.#wanted.get(one.item.id)?.end({ kind: 'failed', message: LOST_MESSAGES[one.item.kind] ?? '' });
      await this.#deps.store.work.dismiss(one);
    }
  }
}

const LOST_MESSAGES: Readonly<Record<string, string>> = {
  FRAME: 'The frame could not be decoded.',
  FINDINGS: 'The findings so far could not be read.',
};

const lateAnswer = ({ view: { kind } }: Wanted): Made => ({
  kind: 'busy',
  message: `The ${NAMES[kind]} is not made yet. The work continues: ask again.`,
});

/** Each server that shares a ledger counts its own items. */
const nameOf = (server: string, count: number | '') => ({
  actor: { kind: FRAME, id: `${server}.${count}` },
  id: `frame.${server}.${count}`,
});

/** Deletes old files in the folders of runs. The folders stay, because another server may be about to write into them. */
async function removeOlder(folder: string, before: number): Promise<void> {
  for (const run of await readdir(folder).catch(() => []))
    for (const name of await readdir(join(folder, run)).catch(() => [])) {
      const file = join(folder, run, name);
      const found = await stat(file).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < before) await rm(file, { force: true });
    }
}
