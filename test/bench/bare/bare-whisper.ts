/**
 * Only the whisper filter of FFmpeg, in its own process, which is not allowed to look for a graphics driver.
 */
import { hideVulkan } from '../../../components/models/whisper/no-vulkan.ts';

export interface BareOrder {
  readonly model: string;
  readonly windows: readonly Float32Array[];
}

hideVulkan();
const { transcribe } = await import('../../../media/sound/whisper-filter.ts');

process.on('message', ({ model, windows }: BareOrder) => void run(model, windows));
process.send?.('ready');

/** Returns the texts. */
async function run(model: string, windows: readonly Float32Array[]): Promise<void> {
  const options = { model, language: 'en', threads: 1, useGpu: false, translate: false };
  const texts: string[] = [];
  for (const samples of windows)
    texts.push(...(await transcribe(samples, options)).texts.map(({ text }) => text));
  process.send?.(texts);
}
