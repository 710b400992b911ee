/** Makes a vector of search words that is comparable with vectors of pictures. */
import type { DetectionJob, FoundTrack, Frame } from '../../../sdk/detector.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';
import { vectorProperties, type AskedModel } from '../network-detector.ts';
import type { UnderstoodModel } from '../understand-model.ts';
import { TEXT_MODEL_NAME, type TextHalf } from './text-half.ts';

/** Returns the search words; empty if the picture is to be searched. */
export const searchedWords = ({ properties }: DetectionJob): string =>
  (properties['SEARCH_TEXT'] ?? '').trim();

/** Yields the vector. Throws INVALID_PROPERTY if the model has no text half, or that of another model. */
export async function* vectorOfWords(
  words: string,
  { index, width, height }: Frame,
  { settings, network: { model } }: AskedModel,
  textHalf: TextHalf,
  signal: AbortSignal,
): AsyncGenerator<FoundTrack> {
  const { textModel } = model;
  const numbers = numbersOf(model);
  if (textModel === undefined)
    throw invalidProperty(
      `The model ${model.name} has no text half, so words cannot be compared with its vectors. Name it by ${TEXT_MODEL_NAME} in ${model.name.replace(/\.onnx$/, '')}.json beside the model.`,
    );
  const vector = await textHalf.vector(textModel, words, signal);
  if (vector.length !== numbers)
    throw invalidProperty(
      `The text model ${textModel} makes vectors of ${vector.length} numbers, but ${model.name} makes ${numbers}. Set ${TEXT_MODEL_NAME} to the text half of the same model.`,
    );
  const properties = vectorProperties(vector, model);
  const detections = [{ frame: index, x: 0, y: 0, width, height, confidence: 1, properties }];
  yield { type: settings.trackType, confidence: 1, detections, properties };
}

function numbersOf({ name, head, fit, features, outputs }: UnderstoodModel): number {
  const index = head.finds === 'vector' ? fit.outputs[0] : features;
  if (index === undefined) throw invalidProperty(`The model ${name} makes no vectors of pictures.`);
  return outputs[index]!.dims.slice(1).reduce((most, size) => Math.max(most, size), 0);
}
