/** The voice activity network: how likely it is that somebody speaks, window by window. */
import { InferenceSession, Tensor } from '../../shared/networks/onnx-runtime.ts';
import { packageFile } from '../../shared/package-file.ts';

export const SAMPLES_PER_MS = 16;
/** Samples of a window: 32 ms. */
export const WINDOW = 512;
/** Samples of the window before that the network hears again. */
const CONTEXT = 64;
const STATE_SHAPE = [2, 1, 128];

export interface VoiceModel {
  /** Begins a new sound; the function then takes its windows one after the other and answers probabilities. */
  listen(): (window: Float32Array) => Promise<number>;
  close(): Promise<void>;
}

export async function loadVoiceModel(): Promise<VoiceModel> {
  // One thread, because a host runs a process per core.
  const session = await InferenceSession.create(
    packageFile('components/detectors/speech/model/silero_vad_16k_op15.onnx'),
    {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 3,
    },
  );
  return { listen: () => listenerOf(session), close: () => session.release() };
}

/** The network's memory of the sound is a tensor that goes from each answer into the next question. */
function listenerOf(session: InferenceSession): (window: Float32Array) => Promise<number> {
  const heard = new Float32Array(CONTEXT + WINDOW);
  const input = new Tensor('float32', heard, [1, heard.length]);
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(SAMPLES_PER_MS * 1000)), []);
  let state: Tensor = new Tensor('float32', new Float32Array(2 * 128), STATE_SHAPE);
  return async (window) => {
    heard.copyWithin(0, WINDOW);
    heard.set(window, CONTEXT);
    const { output, stateN } = await session.run({ input, state, sr });
    state = stateN!;
    return Number(output!.data[0]);
  };
}
