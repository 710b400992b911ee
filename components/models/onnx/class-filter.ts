/** Selects the classes of a model that are reported. */
import { wrongHint } from '../../shared/onnx-session/hints.ts';
import { foldCase, type ClassLists } from './settings.ts';
import type { UnderstoodModel } from './understand-model.ts';

/** Maximum number of names in a message. */
const MOST_NAMED = 40;

/** Returns a filter of class names. Throws INVALID_PROPERTY for a class that the model does not know. */
export function classFilter(
  { allowed, denied, named }: ClassLists,
  { name: model, fit, known, nameOf }: UnderstoodModel,
): (name: string) => boolean {
  const names = known.names ?? Array.from({ length: fit.classes }, (_, number) => nameOf(number));
  const ofModel = new Set(names.map(foldCase));
  const unknown = ofModel.size === 0 ? undefined : named.find((word) => !ofModel.has(word));
  if (unknown !== undefined) {
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    throw wrongHint(
      `CLASS_ALLOW_LIST or CLASS_DENY_LIST names "${unknown}", which is no class of the model ${model}. Classes: ${names.slice(0, MOST_NAMED).join('; ')}${more}.`,
    );
  }
  const [only, never] = [new Set(allowed), new Set(denied)];
  return (name) => (only.size === 0 || only.has(foldCase(name))) && !never.has(foldCase(name));
}
