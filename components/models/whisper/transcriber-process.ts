/** Transcribes in a separate process, because the library ends the process for some model files, and cannot be interrupted. */
import type { Transcription, TranscriptionOptions } from '../../../media/sound/whisper-filter.ts';
import { hideVulkan } from './no-vulkan.ts';

/** A window of sound that is to be transcribed. */
export interface TranscriptionOrder extends TranscriptionOptions {
  readonly samples: Float32Array;
}

/** Answers. `cpuMs` is sent several times during the work and at its end. It is the time of all cores together. */
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
    // Called before the runtime is loaded, which searches for the library at once. A process is used either with or without a graphics
    // processor.
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
// The parent is dead. An orderly end would wait for the library's threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
