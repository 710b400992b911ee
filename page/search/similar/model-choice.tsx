import { go, hrefOf } from '../../kit/route.ts';
import { TEXT } from '../../kit/text.ts';
import type { Asked } from '../conditions.ts';
import { cropIn, targetIn, type VectorModels } from '../../kit/findings/similar-address.ts';

type Models = VectorModels['models'];

interface ChoiceProps {
  readonly models: Models;
  readonly query: URLSearchParams;
  readonly chosen: Asked;
}

/** Algorithm whose models may have a half for words. */
const WORDS_ALGORITHM = 'ONNX';

/** The choice of the model if several can make the vector. */
export function ModelChoice({ models, query, chosen }: ChoiceProps) {
  const usable = query.has('words')
    ? models.filter(({ algorithm }) => algorithm === WORDS_ALGORITHM)
    : models;
  const isTrack = query.has('track');
  if (usable.length < 2 || (isTrack && cropIn(query) === undefined)) return null;
  const choose = (model: string) =>
    go(hrefOf(['search', 'similar'], { ...targetIn(query), ...chosen, model: model || undefined }));
  return (
    <p class="model-choice">
      <label for="model">{TEXT.search.model}</label>
      <select
        id="model"
        value={query.get('model') ?? (isTrack ? '' : usable[0]?.model)}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        {isTrack && <option value="">{TEXT.search.ownModel}</option>}
        {usable.map(({ model }) => (
          <option key={model} value={model}>
            {nameOf(model, usable)}
          </option>
        ))}
      </select>
    </p>
  );
}

/** Returns the name of a model without its version, or with it if another one has the same name. */
function nameOf(model: string, all: Models): string {
  const shortOf = (of: string) => of.replace(/@[0-9a-f]+$/, '');
  const hasTwin = all.filter((one) => shortOf(one.model) === shortOf(model)).length > 1;
  return hasTwin ? model : shortOf(model);
}
