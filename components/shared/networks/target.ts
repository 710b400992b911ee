/** Where pictures are drawn for networks: the memory of a tensor, and how a value of it comes from a pixel. */

export type Colours = readonly [red: number, green: number, blue: number];

/**
 * Where a region is drawn: `width` by `height` pixels of an image whose rows are `row` pixels long. The value of a colour (red, green, blue) of
 * pixel i lies at `first[colour] + i * step`, and is that of the pixel, 0 to 255, times `scale[colour]`, plus `shift[colour]`.
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
