/** What FFmpeg's filters say of pictures: black, frozen, and the part that is not black all around. */
import { Frame } from 'node-av/lib';
import { AV_PIX_FMT_RGB24 } from 'node-av/constants';
import { FilterChain, type Measures } from '../libav/filter-chain.ts';
import type { Box } from '../../domain/geometry/geometry.ts';
import type { Size } from '../../domain/tracks/turned-picture.ts';

export interface PictureRules {
  /** Share of black pixels, 0 to 1, from which on a picture is black, and how bright, 0 to 1, a black pixel is at most. */
  readonly blackShare: number;
  readonly blackLevel: number;
  /** Mean difference of two pictures, 0 to 1, up to which they are the same; ms after which a picture is frozen. */
  readonly noise: number;
  readonly freezeMs: number;
  /** How bright, 0 to 1, what lies in bars at the edges is at most. */
  readonly barLevel: number;
}

/** Of one picture, given in ascending times. */
export interface PictureMeasures {
  readonly blackBegins: boolean;
  readonly blackEnds: boolean;
  /** Milliseconds at which the picture that does not change any more was first seen. */
  readonly frozenSince?: number;
  readonly freezeEnds: boolean;
  /** Around all that was not black up to here; undefined while nothing was. */
  readonly content?: Box;
}

const MICROSECONDS = 1_000;
/** The filter compares black levels with luma of 8 bits in the range of video. */
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

  /** All its pictures have one size. */
  takes({ width, height }: Size): boolean {
    return width === this.#width && height === this.#height;
  }

  /** `data`: RGB, tightly packed. */
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
