/** Runs the operator's ONNX model on pictures and videos. */
import type { DetectionJob, Detector, DetectorHost, ModelSettings } from '../../sdk/detector.ts';
import { ModelStore } from './model-store.ts';
import { NetworkDetector, type AskedModel, type Models } from './network-detector.ts';
import { readSettings } from './settings.ts';
import { TextHalf } from './text-half/text-half.ts';
import { searchedWords, vectorOfWords } from './text-half/words.ts';

class OwnModels implements Models {
  readonly #roots: readonly string[];
  readonly #store: ModelStore;

  constructor(models: ModelSettings) {
    this.#roots = models.roots;
    this.#store = new ModelStore(models);
  }

  async prepare({ properties, signal }: DetectionJob): Promise<AskedModel> {
    const { wanted, ...settings } = await readSettings(properties, this.#roots);
    const network = await this.#store.network(wanted, signal);
    return { settings, network, load: { together: settings.batch, parts: 1 } };
  }

  async close(): Promise<void> {
    await this.#store.close();
  }
}

export default async function loadOnnxDetector({ models }: DetectorHost): Promise<Detector> {
  const own = new OwnModels(models);
  const pictures = new NetworkDetector(own);
  const textHalf = new TextHalf(models);
  return {
    followsStreams: pictures.followsStreams,
    video: (source, job) => pictures.video(source, job),
    async *image(frame, job) {
      const words = searchedWords(job);
      if (words === '') yield* pictures.image(frame, job);
      else yield* vectorOfWords(words, frame, await own.prepare(job), textHalf, job.signal);
    },
    async close() {
      await textHalf.close();
      await pictures.close();
    },
  };
}
