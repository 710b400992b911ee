/**
 * Has frames made by the media component for clients that wait for them. What is asked for stands in the work ledger, as all work does,
 * so that a component is started when none runs; who waits for it is in memory, for a client whose server is gone asks again.
 */
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  MEDIA_QUEUES,
  type FailureRequest,
  type FrameAssignment,
  type FrameWork,
} from '../../protocol/worker-protocol.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { FRAMES } from '../../results/layout.ts';
import type { Lease, News, WorkItem } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Taken } from '../worker-gateway/intake.ts';
import { FrameCache } from './frame-cache.ts';

/** The kind of actor in whose name frames stand in the ledger. */
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
  readonly dataDir: string;
  readonly heartbeatMs: number;
  readonly settings: FrameSettings;
}

export type Made =
  | { readonly kind: 'made'; readonly path: string }
  /** As many are being made as may be, or it took too long. */
  | { readonly kind: 'busy'; readonly message: string }
  /** It cannot be made. */
  | { readonly kind: 'failed'; readonly message: string };

interface Wanted {
  readonly item: WorkItem;
  readonly work: FrameWork;
  readonly made: Promise<Made>;
  end(made: Made): void;
}

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

  /** What a server before this one has left is not known to be whole. */
  async clear(): Promise<void> {
    await rm(pathOf(this.#deps.dataDir, FRAMES), { recursive: true, force: true });
  }

  /** The file of this key, made when it is not there. */
  async made(key: FileKey, work: Omit<FrameWork, 'to'>): Promise<Made> {
    const path = pathOf(this.#deps.dataDir, key);
    if (await this.#cache.has(path)) return { kind: 'made', path };
    const same = [...this.#wanted.values()].find((one) => one.work.to === path);
    if (same !== undefined) return same.made;
    const { atOnce } = this.#deps.settings;
    if (this.#wanted.size >= atOnce)
      return {
        kind: 'busy',
        message: `As many frames are being made as may be (MAX_FRAME_REQUESTS: ${atOnce}).`,
      };
    return this.#begin({ ...work, to: path });
  }

  async #begin(work: FrameWork): Promise<Made> {
    const { store, clock, settings } = this.#deps;
    const id = `frame.${++this.#count}`;
    const item: WorkItem = {
      id,
      // Each is all that its client waits for, so that components do it before all else that they have in hand.
      actor: { kind: FRAME, id: String(this.#count) },
      key: id,
      queue: MEDIA_QUEUES.FRAME,
      priority: PRIORITY,
      kind: 'FRAME',
      attempt: 1,
      share: 0,
    };
    const cancel = clock.after(settings.waitMs, () => {
      wanted.end({
        kind: 'busy',
        message: 'The frame was not made in time (FRAME_WAIT_MS): the server is busy.',
      });
      void store.work.withdraw([item]).catch(() => undefined);
    });
    let tell: (made: Made) => void = () => undefined;
    const wanted: Wanted = {
      ...{ item, work },
      made: new Promise((resolve) => (tell = resolve)),
      end: (made) => {
        cancel();
        this.#wanted.delete(id);
        tell(made);
      },
    };
    this.#wanted.set(id, wanted);
    try {
      await mkdir(dirname(work.to), { recursive: true });
      await store.work.offer([item]);
    } catch (error) {
      wanted.end({ kind: 'busy', message: 'The frame could not be asked for.' });
      throw error;
    }
    return wanted.made;
  }

  /** What a component is told; undefined: nobody waits for it any more. */
  assignment({ item, token, last }: Lease): FrameAssignment | undefined {
    const wanted = this.#wanted.get(item.id);
    if (wanted === undefined) return undefined;
    return {
      ...{ token, id: item.id, kind: 'FRAME', algorithm: item.queue, attempt: item.attempt },
      heartbeatMs: this.#deps.heartbeatMs,
      ...(last === undefined ? {} : { last }),
      work: wanted.work,
    };
  }

  /** A component has made it, or says why it cannot. */
  async answered({ item, token }: Lease, failure?: FailureRequest): Promise<Taken> {
    await this.#deps.store.work.forget(token);
    const wanted = this.#wanted.get(item.id);
    if (wanted === undefined) return { kind: 'lost' };
    const { to: path } = wanted.work;
    if (failure !== undefined) wanted.end({ kind: 'failed', message: failure.message });
    else {
      await this.#cache.add(path);
      wanted.end({ kind: 'made', path });
    }
    return { kind: 'taken' };
  }

  /** A component has died over it, or it was withdrawn. */
  async tell(news: readonly News[]): Promise<void> {
    for (const one of news) {
      this.#wanted.get(one.item.id)?.end({ kind: 'failed', message: 'The frame could not be decoded.' });
      await this.#deps.store.work.dismiss(one);
    }
  }
}
