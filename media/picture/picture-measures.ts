/** Measures pictures with FFmpeg's filters: black or frozen pictures, and the area inside black bars. */
import { Frame } from 'node-av/lib';
import { AV_PIX_FMT_RGB24 } from 'node-av/constants';
import { FilterChain, type Measures } from '../libav/filter-chain.ts';
import type { Box } from '../../domain/geometry/geometry.ts';
import type { Size } from '../../domain/tracks/turned-picture.ts';

export interface PictureRules {
  /** Minimum share of black pixels (0 to 1) in a black picture, and maximum brightness (0 to 1) of a black pixel. */
  readonly blackShare: number;
  readonly blackLevel: number;
  /** Maximum mean difference (0 to 1) of pictures that count as equal, and time in ms after which a picture is frozen. */
  readonly noise: number;
  readonly freezeMs: number;
  /** Maximum brightness (0 to 1) of bars at the edges. */
  readonly barLevel: number;
}

/** Measures of one picture. Pictures are passed in ascending order of time. */
export interface PictureMeasures {
  readonly blackBegins: boolean;
  readonly blackEnds: boolean;
  /** Time in milliseconds of the first picture of the frozen period. */
  readonly frozenSince?: number;
  readonly freezeEnds: boolean;
  /** Box around all non-black pixels so far; undefined if there were none. */
  readonly content?: Box;
}

const MICROSECONDS = 1_000;
/** Maximum luma. The filter compares black levels with 8-bit luma in the video range. */
const LUMA = 255;

export class PictureMeter {
  readonly #chain: FilterChain;
  readonly #width: number;
  readonly #height: number;

  constructor({ width, height }: Size, rules: PictureRules) {
    this.#width = width;
    this.#height = height;
    const { blackShare, blackLevel, noise, freezeMs, barLevel } = rules;
    this.#chain = new FilterChain([
      ['buffer', `video_size=${width}x${height}:pix_fmt=rgb24:time_base=1/1000000:pixel_aspect=1/1`],
      ['format', 'pix_fmts=yuv420p'],
      [
        'blackdetect',
        `black_min_duration=0:picture_black_ratio_th=${blackShare}:pixel_black_th=${blackLevel}`,
      ],
      ['freezedetect', `noise=${noise}:duration=${freezeMs}ms`],
      ['cropdetect', `limit=${Math.round(barLevel * LUMA)}:round=2:reset_count=0:skip=0`],
      ['buffersink', ''],
    ]);
  }

  /** True if the size is the meter's size. All pictures of one meter have the same size. */
  takes({ width, height }: Size): boolean {
    return width === this.#width && height === this.#height;
  }

  /** Measures the next picture. `data`: RGB, tightly packed. */
  measure(data: Uint8Array, timeMs: number): PictureMeasures {
    const frame = Frame.fromVideoBuffer(Buffer.from(data.buffer, data.byteOffset, data.byteLength), {
      width: this.#width,
      height: this.#height,
      format: AV_PIX_FMT_RGB24,
      pts: BigInt(Math.round(timeMs * MICROSECONDS)),
      timeBase: { num: 1, den: 1_000 * MICROSECONDS },
    });
    try {
      return read(Object.assign({}, ...this.#chain.pass(frame)) as Measures);
    } finally {
      frame.free();
    }
  }

  close(): void {
    this.#chain.close();
  }
}

function read(said: Measures): PictureMeasures {
  const since = said['lavfi.freezedetect.freeze_start'];
  const [x, y, width, height] = ['x', 'y', 'w', 'h'].map((name) => Number(said[`lavfi.cropdetect.${name}`]));
  return {
    blackBegins: said['lavfi.black_start'] !== undefined,
    blackEnds: said['lavfi.black_end'] !== undefined,
    ...(since === undefined ? {} : { frozenSince: Number(since) * 1_000 }),
    freezeEnds: said['lavfi.freezedetect.freeze_end'] !== undefined,
    ...(width! > 0 && height! > 0 ? { content: { x: x!, y: y!, width: width!, height: height! } } : {}),
  };
}
