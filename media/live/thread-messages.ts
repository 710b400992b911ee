/** Messages between the reader of a live stream and its thread. */
import type { RecordedFragment } from '../../protocol/stream-fragments.ts';
import type { LiveEnd, LiveEvent } from './live-reader.ts';
import type { LiveOptions } from './options.ts';

export interface LiveThread {
  readonly uri: string;
  readonly options: LiveOptions;
  /** Memory of `LiveCounters`. */
  readonly counters: SharedArrayBuffer;
}

/** next: the next frame is wanted, and the previous frame's pixels are no longer needed. */
export type ToThread = 'next' | 'close';

export type FromThread =
  | { readonly event: LiveEvent }
  | { readonly end: LiveEnd }
  | { readonly fragment: RecordedFragment; readonly bytes: Uint8Array }
  | { readonly warning: string }
  | {
      readonly frame: {
        readonly index: number;
        readonly time: number;
        readonly at: number;
        readonly width: number;
        readonly height: number;
        /** Memory of the pixels, if it differs from that of the previous frame. */
        readonly memory?: SharedArrayBuffer;
      };
    };
