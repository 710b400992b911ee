/** Transcribes in a process of its own: the library ends the process over some model files, and cannot be interrupted while it works. */
import type { Transcription, TranscriptionOptions } from '../../../media/sound/whisper-filter.ts';
import { hideVulkan } from './no-vulkan.ts';

/** A window of sound that is to be transcribed. */
export interface TranscriptionOrder extends TranscriptionOptions {
  readonly samples: Float32Array;
}

/** `cpuMs` is told now and then while it works, and at its end: the time of all cores together. */
export type TranscriptionAnswer =
  | { readonly done: Transcription }
  | { readonly failed: string }
  | { readonly cpuMs: number };

const TELL_MS = 1_000;

const tell = (answer: TranscriptionAnswer) => void process.send?.(answer);

async function answer({ samples, ...options }: TranscriptionOrder): Promise<void> {
  const tellTime = () => {
    const { user, system } = process.cpuUsage();
    tell({ cpuMs: Math.floor((user + system) / 1_000) });
  };
  const telling = setInterval(tellTime, TELL_MS);
  try {
    // Before the runtime is loaded, which looks for the library at once. The process is not asked for both.
    if (!options.useGpu) hideVulkan();
    const { transcribe } = await import('../../../media/sound/whisper-filter.ts');
    const done = await transcribe(samples, options);
    tellTime();
    tell({ done });
  } catch (error) {
    tell({ failed: error instanceof Error ? error.message : String(error) });
  } finally {
    clearInterval(telling);
  }
}

process.on('message', (order: TranscriptionOrder) => void answer(order));
// Whoever asked is gone. Threads of the library may be at work: an orderly end would wait for them.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
