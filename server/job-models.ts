/** Checks whether a job names its model, and whether the model file is on this host, without opening the file. */
import type { FindModel } from '../actors/requests/request-models.ts';
import { CodedError } from '../protocol/coded-error.ts';
import type { Properties } from '../domain/types.ts';

type Find = (properties: Properties, roots: readonly string[]) => Promise<unknown>;

/**
 * By algorithm of the built-in components that need a model: a file below MODEL_ROOTS, or a server. Loaded by the first job that needs
 * them.
 */
const FINDERS: Readonly<Record<string, Find>> = {
  TEXT: async ({ RECOGNITION_MODEL = '' }, roots) => {
    if (RECOGNITION_MODEL.trim() === '') return;
    const { findModel } = await import('../components/shared/model-files/model-file.ts');
    await findModel(RECOGNITION_MODEL.trim(), roots, 'RECOGNITION_MODEL');
  },
  ONNX: async ({ MODEL_NAME = '', TEXT_MODEL_NAME = '' }, roots) => {
    const { findModel } = await import('../components/shared/model-files/model-file.ts');
    await findModel(MODEL_NAME.trim(), roots);
    if (TEXT_MODEL_NAME.trim() !== '') await findModel(TEXT_MODEL_NAME.trim(), roots, 'TEXT_MODEL_NAME');
  },
  KSERVE: async (properties) => {
    const { readServedModel } = await import('../components/models/kserve/settings.ts');
    try {
      readServedModel(properties);
    } catch (error) {
      // Other values may be wrong only for some media, which then get the error.
      if (error instanceof CodedError && error.code === 'MISSING_PROPERTY') throw error;
    }
  },
  WHISPERSPEECH: async (properties, roots) => {
    const [{ readSettings }, { placeOf }] = await Promise.all([
      import('../components/models/whisper/settings.ts'),
      import('../components/models/whisper/find-model.ts'),
    ]);
    await placeOf(roots, readSettings(properties).files);
  },
};

export const findJobModels = (roots: readonly string[]): FindModel => ({
  algorithms: new Set(Object.keys(FINDERS)),
  async problem(algorithm, properties) {
    try {
      await FINDERS[algorithm]?.(properties, roots);
      return undefined;
    } catch (error) {
      if (error instanceof CodedError)
        return { message: error.message, anywhere: error.code === 'MISSING_PROPERTY' };
      throw error;
    }
  },
});
