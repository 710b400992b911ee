/**
 * Speech to text with FFmpeg's whisper filter. Each filter graph loads the model file and processes one window of sound. The filter returns
 * its text when its buffer overflows or the sound ends, and only the text at the end is exact. Some model files make the library end the
 * process, so use a separate process.
 */
import '../libav/promise-polyfill.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dictionary, FFmpegError, Filter, FilterGraph, Frame, Log } from 'node-av/lib';
import type { FilterContext } from 'node-av/lib';
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_LOG_DEBUG,
  AV_LOG_ERROR,
  AV_SAMPLE_FMT_FLT,
  AVERROR_EOF,
} from 'node-av/constants';
import { SAMPLE_RATE } from './resampler.ts';

/** A text, in milliseconds from the start of the window. */
export interface SpokenText {
  readonly start: number;
  readonly stop: number;
  readonly text: string;
}

export interface Transcription {
  readonly texts: readonly SpokenText[];
  /** Language that Whisper recognized (its code), and its probability. Undefined if the options named the language. */
  readonly language?: { readonly code: string; readonly probability: number };
}

export interface TranscriptionOptions {
  readonly model: string;
  /** Language code of Whisper, or `auto`. */
  readonly language: string;
  readonly threads: number;
  readonly useGpu: boolean;
  /** True to translate any language into English. */
  readonly translate: boolean;
  /** Folder for temporary files. The system's temporary folder if undefined. */
  readonly folder?: string;
}

/** Longer than any window, so that the filter does not cut it. */
const BUFFER_SECONDS = 35;
const MOST_LINES = 400;

/** Transcribes mono sound at 16 kHz, of at most 30 s. Throws errors of the runtime with their original message. */
export async function transcribe(
  samples: Float32Array,
  options: TranscriptionOptions,
): Promise<Transcription> {
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), 'troupe-whisper-'));
  const heard = new RuntimeLog();
  const graph = new FilterGraph();
  graph.alloc();
  graph.nbThreads = options.threads;
  try {
    const destination = join(folder, 'texts');
    const { input, output } = connect(graph, { ...options, destination }, heard);
    await run(input, output, samples);
    // The runtime's messages arrive through the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    heard.refuse();
    const texts = textsOf(await readFile(destination, 'utf8'));
    return { texts, ...heard.language() };
  } finally {
    graph.free();
    heard.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Ends {
  readonly input: FilterContext;
  readonly output: FilterContext;
}

function connect(
  graph: FilterGraph,
  {
    model,
    language,
    useGpu,
    translate,
    destination,
  }: TranscriptionOptions & { readonly destination: string },
  heard: RuntimeLog,
): Ends {
  const [source, whisper, sink] = ['abuffer', 'whisper', 'abuffersink'].map((name) => Filter.getByName(name));
  if (source == null || whisper == null || sink == null)
    throw new Error('This build of FFmpeg has no whisper filter.');
  const format = `sample_rate=${SAMPLE_RATE}:sample_fmt=flt:channel_layout=mono:time_base=1/${SAMPLE_RATE}`;
  const input = graph.createFilter(source, 'sound', format);
  const filter = graph.allocFilter(whisper, 'whisper');
  const output = graph.createFilter(sink, 'end', null);
  if (input === null || filter === null || output === null) throw new Error('No filter graph could be made.');
  const settings = Dictionary.fromObject({
    model,
    language,
    destination,
    format: 'json',
    queue: BUFFER_SECONDS,
    use_gpu: useGpu ? 1 : 0,
    translate: translate ? 1 : 0,
  });
  const loaded = filter.init(settings.getNative());
  settings.free();
  if (loaded < 0) throw new Error(heard.why() ?? `the runtime refuses it: ${FFmpegError.strerror(loaded)}`);
  FFmpegError.throwIfError(input.link(0, filter, 0), 'link');
  FFmpegError.throwIfError(filter.link(0, output, 0), 'link');
  FFmpegError.throwIfError(graph.configSync(), 'config');
  return { input, output };
}

async function run(input: FilterContext, output: FilterContext, samples: Float32Array): Promise<void> {
  const frame = Frame.fromAudioBuffer(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength), {
    nbSamples: samples.length,
    format: AV_SAMPLE_FMT_FLT,
    sampleRate: SAMPLE_RATE,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
    pts: 0n,
    timeBase: { num: 1, den: SAMPLE_RATE },
  });
  const passed = new Frame();
  passed.alloc();
  try {
    FFmpegError.throwIfError(await input.buffersrcAddFrame(frame), 'sound');
    FFmpegError.throwIfError(await input.buffersrcAddFrame(null), 'end');
    for (;;) {
      const code = await output.buffersinkGetFrame(passed);
      if (code === AVERROR_EOF) return;
      FFmpegError.throwIfError(code, 'whisper');
      passed.unref();
    }
  } finally {
    passed.free();
    frame.free();
  }
}

/** Log of the runtime. It contains facts that the filter does not return. */
class RuntimeLog {
  readonly #lines: string[] = [];
  readonly #errors: string[] = [];

  constructor() {
    Log.setLevel(AV_LOG_DEBUG);
    Log.setCallback(
      (level, message) => {
        const line = message.trim();
        if (line === '') return;
        if (level <= AV_LOG_ERROR) this.#errors.push(line);
        if (this.#lines.length < MOST_LINES) this.#lines.push(line);
      },
      { maxLevel: AV_LOG_DEBUG },
    );
  }

  why(): string | undefined {
    return this.#errors.length === 0 ? undefined : this.#errors.slice(0, 3).join('; ');
  }

  /** Throws if processing failed, because the filter continues as if there were no speech. */
  refuse(): void {
    if (this.#errors.some((line) => line.includes('Failed to process'))) throw new Error(this.why());
  }

  language(): Pick<Transcription, 'language'> {
    for (const line of this.#lines) {
      const [, code, probability] = /auto-detected language: (\w+) \(p = ([\d.]+)\)/.exec(line) ?? [];
      if (code !== undefined) return { language: { code, probability: Number(probability) } };
    }
    return {};
  }

  close(): void {
    Log.resetCallback();
  }
}

/** Parses the filter's output. The filter does not escape quotation marks and line breaks in texts. */
export function textsOf(written: string): readonly SpokenText[] {
  return written
    .split(/\n(?=\{"start":-?\d+,"end":-?\d+,"text":"|$)/)
    .map((line) => /^\{"start":(-?\d+),"end":(-?\d+),"text":"(.*)"\}\s*$/s.exec(line))
    .filter((found) => found !== null)
    .map(([, start, stop, text]) => ({ start: Number(start), stop: Number(stop), text: text!.trim() }))
    .filter(({ text }) => text !== '');
}
