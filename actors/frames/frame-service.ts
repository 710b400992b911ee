/**
 * Gets frames from the media component for waiting clients. Requested frames are in the work ledger like all work, so a component is
 * started when none runs. The waiting clients are in memory: a client whose server died asks again.
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
/** Somebody waits in front of a screen. */
const PRIORITY = 9;

export interface FrameSettings {
  /** Frames that are being made or wait for it. */
  readonly atOnce: number;
  readonly waitMs: number;
  readonly cacheBytes: number;
}

export interface FrameServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Names this start of the server. */
  readonly serverId: string;
  /** No other server works on the same store and DATA_DIR. */
  readonly alone: boolean;
  readonly dataDir: string;
  readonly heartbeatMs: number;
  readonly settings: FrameSettings;
}

export type Made =
  | { readonly kind: 'made'; readonly path: string }
  /** As many are being made as may be, or it takes longer than this client may wait. */
  | { readonly kind: 'busy'; readonly message: string }
  /** It cannot be made. */
  | { readonly kind: 'failed'; readonly message: string };

/** What is to be made. */
type View =
  | { readonly kind: 'FRAME'; readonly work: FrameWork }
  | { readonly kind: 'FINDINGS'; readonly work: FindingsWork };

interface Wanted {
  readonly item: WorkItem;
  readonly view: View;
  /** Of the item, however long it takes; each client waits for it for as long as it may. */
  readonly made: Promise<Made>;
  end(made: Made): void;
}

/** Frames that nobody has made anew for so long are made again when they are wanted. */
const USED_MS = 3_600_000;

/** For people. */
const NAMES = { FRAME: 'frame', FINDINGS: 'index of the findings' } as const;

export class FrameService {
  readonly #deps: FrameServiceDeps;
  readonly #cache: FrameCache;
  /** By id of the item. */
  readonly #wanted = new Map<string, Wanted>();
  #count = 0;

  constructor(deps: FrameServiceDeps) {
    this.#deps = deps;
    this.#cache = new FrameCache(deps.settings.cacheBytes);
  }

  /** What a server before this one has left counts for nothing in the cache; other servers have of late made what they still use. */
  async clear(): Promise<void> {
    const { alone, dataDir, clock } = this.#deps;
    const folder = pathOf(dataDir, FRAMES);
    if (alone) await rm(folder, { recursive: true, force: true });
    else await removeOlder(folder, clock.now() - USED_MS);
  }

  /** The file of this key with a frame, or with the times of all, made when it is not there. */
  makeFile(key: FileKey, work: Omit<FrameWork, 'to'>, priority = PRIORITY): Promise<Made> {
    const to = pathOf(this.#deps.dataDir, key);
    return this.#make({ kind: 'FRAME', work: { ...work, to } }, priority);
  }

  /** The same with the index of what a running job has found. */
  makeIndex(key: FileKey, work: Omit<FindingsWork, 'to'>): Promise<Made> {
    const to = pathOf(this.#deps.dataDir, key);
    return this.#make({ kind: 'FINDINGS', work: { ...work, to } }, PRIORITY);
  }

  /** Such a file is not wanted any more. */
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
      // Each is all that its client waits for, so that components do it before all else that they have in hand.
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

  /** On the deadline the client is told to ask again. The work goes on: begun anew, what takes longer than the deadline would never be had. */
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

  /** Other servers have removed what this one offered, when they took it for dead: then nobody makes it. */
  async #lookFor(wanted: Wanted): Promise<void> {
    const known = await this.#deps.store.work.listIds(wanted.item.actor);
    if (known.size === 0) wanted.end(lateAnswer(wanted));
  }

  /** What a component is told; undefined: it is not wanted, for it was offered by a server before this one. */
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

  /** A component has made it, or says why it cannot. */
  async acceptAnswer({ item, token }: Lease, failure?: FailureRequest): Promise<AnswerOutcome> {
    await this.#deps.store.work.forget(token);
    const wanted = this.#wanted.get(item.id);
    if (wanted === undefined) return LOST;
    if (failure !== undefined) wanted.end({ kind: 'failed', message: failure.message });
    else wanted.end(await this.#waitForFile(wanted.view));
    return ACCEPTED;
  }

  /** Nothing else ends the wait for a file that has been answered, so that an error is an outcome as well. */
  async #waitForFile({ kind, work: { to: path } }: View): Promise<Made> {
    try {
      await this.#cache.add(path);
      return { kind: 'made', path };
    } catch {
      // Its job was removed meanwhile, or the disk does not answer.
      return { kind: 'busy', message: `The ${NAMES[kind]} was deleted. Request it again.` };
    }
  }

  /** A component has died over it, or none can be started. */
  async tell(news: readonly News[]): Promise<void> {
    for (const one of news) {
      // Frames of another server are its own matter: it hears of them as well.
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

/** Servers that share a ledger count each for itself. */
const nameOf = (server: string, count: number | '') => ({
  actor: { kind: FRAME, id: `${server}.${count}` },
  id: `frame.${server}.${count}`,
});

/** Files below the folders of runs, and not these folders: another server may be about to write into them. */
async function removeOlder(folder: string, before: number): Promise<void> {
  for (const run of await readdir(folder).catch(() => []))
    for (const name of await readdir(join(folder, run)).catch(() => [])) {
      const file = join(folder, run, name);
      const found = await stat(file).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < before) await rm(file, { force: true });
    }
}
