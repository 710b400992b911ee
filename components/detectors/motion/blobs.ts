/** Groups foreground pixels into boxes of moving objects. */
import type { Box } from '../../../domain/geometry/geometry.ts';

export interface Blob extends Box {
  /** Number of foreground pixels. */
  readonly area: number;
}

interface Patch {
  left: number;
  top: number;
  right: number;
  bottom: number;
  area: number;
  moving: number;
}

/** Minimum share of a patch that must differ from the previous picture. Otherwise it differs from the background but does not move. */
const LEAST_MOVING = 0.02;

/** Finds blobs in pictures of one size. Reuses its memory. */
export class BlobFinder {
  readonly #width: number;
  readonly #height: number;
  readonly #reach: number;
  readonly #solid: Uint8Array;
  readonly #wide: Uint8Array;
  readonly #grown: Uint8Array;
  readonly #stack: Int32Array;

  /** `reach`: number of pixels by which foreground grows, so that the parts of one object touch. */
  constructor(width: number, height: number, reach: number) {
    this.#width = width;
    this.#height = height;
    this.#reach = reach;
    const pixels = width * height;
    this.#solid = new Uint8Array(pixels);
    this.#wide = new Uint8Array(pixels);
    this.#grown = new Uint8Array(pixels);
    this.#stack = new Int32Array(pixels);
  }

  /** Returns blobs of at least `minArea` foreground pixels with motion. Blobs whose boxes touch are merged. */
  find(foreground: Uint8Array, moving: Uint8Array, minArea: number): Blob[] {
    this.#clean(foreground);
    this.#grow();
    const patches: Patch[] = [];
    for (let i = 0; i < this.#grown.length; i++) {
      if (this.#grown[i] === 0) continue;
      const patch = this.#collect(i, moving);
      if (patch.area >= minArea && patch.moving >= LEAST_MOVING * patch.area) patches.push(patch);
    }
    return joinPatches(patches).map(({ left, top, right, bottom, area }) => ({
      x: left,
      y: top,
      width: right - left + 1,
      height: bottom - top + 1,
      area,
    }));
  }

  /**
   * Keeps a pixel if most of the nine pixels around it are foreground, because single ones are noise. Border pixels are like their
   * neighbours.
   */
  #clean(mask: Uint8Array): void {
    const width = this.#width;
    const solid = this.#solid.fill(0);
    for (let y = 1; y < this.#height - 1; y++) {
      const end = (y + 1) * width - 1;
      for (let i = y * width + 1; i < end; i++) {
        const above = mask[i - width - 1]! + mask[i - width]! + mask[i - width + 1]!;
        const beside = mask[i - 1]! + mask[i]! + mask[i + 1]!;
        const below = mask[i + width - 1]! + mask[i + width]! + mask[i + width + 1]!;
        if (above + beside + below >= 5) solid[i] = 1;
      }
      solid[y * width] = solid[y * width + 1]!;
      solid[end] = solid[end - 1]!;
    }
    solid.copyWithin(0, width, 2 * width);
    solid.copyWithin((this.#height - 1) * width, (this.#height - 2) * width, (this.#height - 1) * width);
  }

  /** Grows the solid pixels horizontally and then vertically. */
  #grow(): void {
    const width = this.#width;
    const reach = this.#reach;
    const wide = this.#wide.fill(0);
    const grown = this.#grown.fill(0);
    for (let y = 0; y < this.#height; y++) {
      const row = y * width;
      for (let x = 0; x < width; x++)
        if (this.#solid[row + x] === 1)
          wide.fill(1, row + Math.max(0, x - reach), row + Math.min(width, x + reach + 1));
    }
    for (let y = 0; y < this.#height; y++) {
      const from = Math.max(0, y - reach);
      const to = Math.min(this.#height - 1, y + reach);
      for (let other = from; other <= to; other++)
        for (let x = 0; x < width; x++) if (wide[other * width + x] === 1) grown[y * width + x] = 1;
    }
  }

  /** Removes the connected patch around a pixel from the grown mask, and measures its solid pixels. */
  #collect(seed: number, moving: Uint8Array): Patch {
    const width = this.#width;
    const grown = this.#grown;
    const stack = this.#stack;
    const patch: Patch = { left: width, top: this.#height, right: -1, bottom: -1, area: 0, moving: 0 };
    let depth = 0;
    const visit = (pixel: number): void => {
      grown[pixel] = 0;
      stack[depth++] = pixel;
    };
    visit(seed);
    while (depth > 0) {
      const pixel = stack[--depth]!;
      const y = Math.floor(pixel / width);
      const x = pixel - y * width;
      if (this.#solid[pixel] === 1) {
        patch.area++;
        patch.moving += moving[pixel]!;
        if (x < patch.left) patch.left = x;
        if (x > patch.right) patch.right = x;
        if (y < patch.top) patch.top = y;
        if (y > patch.bottom) patch.bottom = y;
      }
      if (x > 0 && grown[pixel - 1] === 1) visit(pixel - 1);
      if (x < width - 1 && grown[pixel + 1] === 1) visit(pixel + 1);
      if (pixel >= width && grown[pixel - width] === 1) visit(pixel - width);
      if (pixel + width < grown.length && grown[pixel + width] === 1) visit(pixel + width);
    }
    return patch;
  }
}

/** Merges patches until no boxes touch. */
function joinPatches(patches: readonly Patch[]): Patch[] {
  const done: Patch[] = [];
  const rest = [...patches];
  for (let patch = rest.pop(); patch !== undefined; patch = rest.pop()) {
    const one = patch;
    const other = done.findIndex((candidate) => meet(candidate, one));
    if (other < 0) done.push(one);
    else rest.push(union(done.splice(other, 1)[0]!, one));
  }
  return done;
}

function meet(a: Patch, b: Patch): boolean {
  return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

function union(a: Patch, b: Patch): Patch {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
    area: a.area + b.area,
    moving: a.moving + b.moving,
  };
}
