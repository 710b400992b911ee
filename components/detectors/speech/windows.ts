/** Splits sound in chunks of any length into windows of one length. */

/**
 * Yields windows of `length` samples. The last one is padded with silence. The array is reused: a window is valid until the next one is
 * requested.
 */
export async function* windows(
  chunks: AsyncIterable<Float32Array>,
  length: number,
): AsyncIterable<SoundWindow> {
  const samples = new Float32Array(length);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + length - filled);
      samples.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < length) continue;
      yield { samples, filled };
      filled = 0;
    }
  }
  if (filled > 0) yield { samples: samples.fill(0, filled), filled };
}

export interface SoundWindow {
  readonly samples: Float32Array;
  /** Number of samples with sound. */
  readonly filled: number;
}
