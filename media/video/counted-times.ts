/** Times of frames that are identified only by their number, from the decoder. */
import type { PacketScan } from '../libav/packet-scan.ts';
import { RESTART_SECONDS } from '../libav/packet-scan.ts';
import { NO_TIMESTAMP } from '../libav/container.ts';
import type { VideoCursor } from './video-cursor.ts';

/**
 * A frame without a presentation timestamp is shown at its decoding timestamp, counted from that of the first frame. The decoder returns
 * the last frames without a timestamp. Encoders give the first packets timestamps with the distances of the first frames. In a short video,
 * these provide the last times. Other frames follow at the mean rate.
 */
export class CountedTimes {
  /** True if a frame in the middle, or every frame, was placed by the rate alone. */
  estimated = false;
  readonly #dts: Float64Array;
  /** Ticks between frames at the mean rate. */
  readonly #step: number;
  readonly #restartTicks: number;
  /** Ticks from the origin of the medium to the first frame. */
  readonly #start: number;
  /** Number of packets that the decoder needs before it returns the first frame. */
  #delay: number | undefined;
  /** Offset that converts decoding timestamps to ticks from the origin of the medium. */
  #offset = 0;
  #frame = -1;
  #last: number;
  #placedByRate = false;

  constructor(
    {
      timeBase,
      rates,
      firstPts,
      container,
    }: Pick<VideoCursor, 'timeBase' | 'rates' | 'firstPts'> & {
      readonly container: Pick<VideoCursor['container'], 'origin'>;
    },
    { dts }: Pick<PacketScan, 'dts'>,
  ) {
    const fps = rates[0] ?? 0;
    this.#dts = dts;
    this.#step = fps > 0 ? 1 / (fps * timeBase) : 0;
    this.#restartTicks = RESTART_SECONDS / timeBase;
    this.#start = firstPts === undefined ? 0 : Math.max(0, firstPts - container.origin / timeBase);
    this.#last = this.#start - this.#step;
  }

  /** Returns the time of the next frame in ticks from the origin of the medium. `guess`: the decoder's estimate. */
  next(guess: bigint): number {
    this.#frame++;
    const placed = guess === NO_TIMESTAMP ? this.#ofFirstPackets() : this.#byGuess(Number(guess));
    if (placed !== undefined && (placed > this.#last || this.#frame === 0)) {
      if (this.#placedByRate) this.estimated = true;
      this.#last = placed;
    } else {
      this.#placedByRate = true;
      if (this.#delay === undefined) this.estimated = true;
      this.#last += this.#step;
    }
    return this.#last;
  }

  #byGuess(at: number): number {
    const next = Math.round(this.#last + this.#step);
    if (this.#delay === undefined) {
      this.#delay = this.#dts.indexOf(at);
      this.#offset = next - at;
    } else if (at + this.#offset < this.#last - this.#restartTicks) this.#offset = next - at;
    return at + this.#offset;
  }

  /** Returns undefined if the packets have no time for the frame. */
  #ofFirstPackets(): number | undefined {
    const [first = NaN] = this.#dts;
    const at = this.#frame > (this.#delay ?? Infinity) ? NaN : this.#start + this.#dts[this.#frame]! - first;
    return Number.isNaN(at) ? undefined : at;
  }
}
