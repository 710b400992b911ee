/** The content of a chart. */

export interface PlotLine {
  readonly title: string;
  /** Class of the colour in the style sheet. */
  readonly hue: string;
  /** One value for each step. */
  readonly values: readonly number[];
}

export interface PlotData {
  /** Start of the first step. */
  readonly from: number;
  /** Length of a step. */
  readonly step: number;
  readonly steps: number;
  /** End of the axis. */
  readonly to: number;
  /** Only the first 8 are drawn. */
  readonly lines: readonly PlotLine[];
  /** Returns a place of the axis as text. */
  readonly placeText: (place: number) => string;
  /** Draws bars side by side. Absent: draws stepped lines. */
  readonly hasBars?: true;
  /** Offered distances of the marks of the axis. Absent: any round number. */
  readonly marks?: readonly number[];
}
