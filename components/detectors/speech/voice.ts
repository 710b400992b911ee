/** The voice activity network, which returns the probability of speech for each window. */
import { InferenceSession, Tensor } from '../../shared/networks/onnx-runtime.ts';
import { packageFile } from '../../shared/package-file.ts';

export const SAMPLES_PER_MS = 16;
/** Number of samples per window: 32 ms. */
export const WINDOW = 512;
/** Number of samples of the previous window that the network receives again. */
const CONTEXT = 64;
const STATE_SHAPE = [2, 1, 128];

export interface VoiceModel {
  /** Begins a new sound. The returned function accepts its windows one after another and returns probabilities. */
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

/** Returns the function for the windows of a sound. The network's state is a tensor, which is passed from each output to the next input. */
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
