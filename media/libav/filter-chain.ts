/** A chain of FFmpeg's measuring filters. Frames go in, and the measures are read from the metadata of the output frames. */
import './promise-polyfill.ts';
import { FFmpegError, Filter, FilterGraph, Frame, Log } from 'node-av/lib';
import type { FilterContext } from 'node-av/lib';
import { AV_BUFFERSRC_FLAG_KEEP_REF, AV_LOG_FATAL } from 'node-av/constants';

// Otherwise FFmpeg also logs the measures to stderr, one line per picture.
Log.setLevel(AV_LOG_FATAL);

/** A filter with its options, as FFmpeg writes them. */
export type FilterStep = readonly [name: string, options: string];

export type Measures = Readonly<Record<string, string>>;

export class FilterChain {
  readonly #graph = new FilterGraph();
  readonly #input: FilterContext;
  readonly #output: FilterContext;
  readonly #frame = new Frame();

  /** The first step accepts the frames (`buffer`, `abuffer`). The last step returns them (`buffersink`, `abuffersink`). */
  constructor(steps: readonly FilterStep[]) {
    this.#graph.alloc();
    this.#graph.nbThreads = 1;
    this.#frame.alloc();
    const filters = steps.map((step, index) => this.#filter(step, index));
    for (const [index, filter] of filters.entries()) {
      const next = filters[index + 1];
      if (next !== undefined) FFmpegError.throwIfError(filter.link(0, next, 0), 'link');
    }
    FFmpegError.throwIfError(this.#graph.configSync(), 'config');
    this.#input = filters[0]!;
    this.#output = filters.at(-1)!;
  }

  /** Passes a frame through the filters and returns the measures of all output frames. Null ends the input. The caller keeps the frame. */
  pass(frame: Frame | null): Measures[] {
    FFmpegError.throwIfError(
      this.#input.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF),
      'what is measured',
    );
    const said: Measures[] = [];
    while (this.#output.buffersinkGetFrameSync(this.#frame) >= 0) {
      said.push(this.#frame.getMetadata().getAll());
      this.#frame.unref();
    }
    return said;
  }

  close(): void {
    this.#frame.free();
    this.#graph.free();
  }

  #filter([name, options]: FilterStep, index: number): FilterContext {
    const filter = Filter.getByName(name);
    const made =
      filter === null
        ? null
        : this.#graph.createFilter(filter, `step${index}`, options === '' ? null : options);
    if (made === null) throw new Error(`The filter ${name} of FFmpeg could not be made with "${options}".`);
    return made;
  }
}
