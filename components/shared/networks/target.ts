/** The tensor memory into which pictures are drawn, and how pixels become values. */

export type Colours = readonly [red: number, green: number, blue: number];

/**
 * A drawing target: `width` by `height` pixels of an image with rows of `row` pixels. The value of a colour (red, green, blue) of pixel i
 * is at `first[colour] + i * step`. It is the pixel's value (0 to 255) times `scale[colour]`, plus `shift[colour]`.
 */
export interface Target {
  readonly values: Float32Array;
  readonly row: number;
  readonly padX: number;
  readonly padY: number;
  readonly width: number;
  readonly height: number;
  readonly first: Colours;
  readonly step: number;
  readonly scale: Colours;
  readonly shift: Colours;
}
