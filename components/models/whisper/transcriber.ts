/** The process that transcribes. It is started for the first window, and restarted after a cancel or a crash. */
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

/** Maximum length of the process's last output in an error. */
const LAST_OUTPUT = 1_000;

export interface Hearing {
  readonly signal: AbortSignal;
  /** Called while the process uses CPU time. */
  readonly working: () => void;
}

export class Transcriber {
  #child: ChildProcess | undefined;
  /** True if the process may use a graphics processor. Other processes do not search for one. */
  #usesGpu = false;
  #lastOutput = '';
  /** CPU time that the process has reported in milliseconds. */
  #cpuMs = 0;
  /** Temporary folder of the process. */
  #folder = '';

  /** Transcribes one window at a time. Throws DETECTION_FAILED with the model's name if the runtime refuses the model or crashes. */
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
    // Deleted with the process, because a killed process may leave speech data there.
    const folder = mkdtempSync(join(tmpdir(), 'troupe-whisper-'));
    this.#folder = folder;
    const child = fork(path, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    });
    this.#lastOutput = '';
    this.#cpuMs = 0;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastOutput = (this.#lastOutput + text).slice(-LAST_OUTPUT);
    });
    child.once('close', () => {
      if (this.#child === child) this.#child = undefined;
      rmSync(folder, { recursive: true, force: true });
    });
    // The event "close" reports its end.
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
    const said = this.#lastOutput.split('\n').findLast((line) => /ASSERT|error|what\(\)/i.test(line));
    const why = said === undefined ? '' : ` (${said.trim()})`;
    const gpu = this.#usesGpu ? ', or WHISPER_USE_GPU needs a driver and its library (libvulkan.so.1)' : '';
    return `the runtime ended its process with ${signal ?? `exit code ${code}`}${why}; the file may be damaged, or need more memory than there is${gpu}`;
  }
}
