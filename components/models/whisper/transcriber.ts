/** The process that transcribes. It starts for the first window, and again after it was cancelled or died. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Transcription } from '../../../media/sound/whisper-filter.ts';
import { DetectionError } from '../../sdk/detector.ts';
import { addCpuTime } from '../../sdk/work/cpu-time.ts';
import type { TranscriptionAnswer, TranscriptionOrder } from './transcriber-process.ts';

/** Characters of what a process wrote last that an error may tell. */
const LAST_WORDS = 1_000;

export interface Hearing {
  readonly signal: AbortSignal;
  /** Called while the process makes use of the processor. */
  readonly working: () => void;
}

export class Transcriber {
  #child: ChildProcess | undefined;
  /** A process either may use a graphics processor or does not even look for one. */
  #usesGpu = false;
  #lastWords = '';
  /** CPU time that the process has reported: milliseconds. */
  #cpuMs = 0;
  /** Of the process. */
  #folder = '';

  /** One at a time. Errors: DETECTION_FAILED that names the model when the runtime refuses it or dies of it. */
  async transcribe(order: TranscriptionOrder, { signal, working }: Hearing): Promise<Transcription> {
    signal.throwIfAborted();
    if (order.useGpu !== this.#usesGpu) await this.close();
    const child = (this.#child ??= this.#start(order.useGpu));
    const stop = () => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answered = this.#answerOf(child, working);
      child.send({ ...order, folder: this.#folder }, () => undefined);
      return await answered;
    } catch (error) {
      signal.throwIfAborted();
      throw new DetectionError(
        'DETECTION_FAILED',
        `${this.#about(order.model)}: ${(error as Error).message}`,
      );
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  #about(model: string): string {
    return `The Whisper model ${model} could not be used`;
  }

  #start(useGpu: boolean): ChildProcess {
    const path = fileURLToPath(new URL('./transcriber-process.js', import.meta.url));
    this.#usesGpu = useGpu;
    // Whatever it leaves there when it is killed in the middle goes with it: pieces of what was said.
    const folder = mkdtempSync(join(tmpdir(), 'troupe-whisper-'));
    this.#folder = folder;
    const child = fork(path, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    });
    this.#lastWords = '';
    this.#cpuMs = 0;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS);
    });
    child.once('close', () => {
      if (this.#child === child) this.#child = undefined;
      rmSync(folder, { recursive: true, force: true });
    });
    // Its end is told of by "close".
    child.on('error', () => undefined);
    return child;
  }

  #answerOf(child: ChildProcess, working: () => void): Promise<Transcription> {
    return new Promise((resolve, reject) => {
      const onAnswer = (answer: TranscriptionAnswer) => {
        if ('cpuMs' in answer) {
          if (answer.cpuMs > this.#cpuMs) working();
          addCpuTime(answer.cpuMs - this.#cpuMs);
          this.#cpuMs = answer.cpuMs;
          return;
        }
        child.off('close', onDeath);
        child.off('message', onAnswer);
        if ('done' in answer) resolve(answer.done);
        else reject(new Error(answer.failed));
      };
      const onDeath = (code: number | null, signal: NodeJS.Signals | null) => {
        child.off('message', onAnswer);
        reject(new Error(this.#deathOf(code, signal)));
      };
      child.on('message', onAnswer);
      child.once('close', onDeath);
    });
  }

  #deathOf(code: number | null, signal: NodeJS.Signals | null): string {
    const said = this.#lastWords.split('\n').findLast((line) => /ASSERT|error|what\(\)/i.test(line));
    const why = said === undefined ? '' : ` (${said.trim()})`;
    const gpu = this.#usesGpu ? ', or WHISPER_USE_GPU needs a driver and its library (libvulkan.so.1)' : '';
    return `the runtime ended its process with ${signal ?? `exit code ${code}`}${why}; the file may be damaged, or need more memory than there is${gpu}`;
  }
}
