/** What a server says of a model besides its tensors: in Triton's configuration, and in what OpenVINO writes into a model. */
import { z } from 'zod';
import { namesOf } from '../onnx/class-names.ts';
import { HINT_NAMES, hintOf } from '../../shared/onnx-session/hint-values.ts';
import { mergeHints, wrongHint, type Hints } from '../../shared/onnx-session/hints.ts';
import type { ModelMetadata } from './protocol.ts';
import type { Configuration } from './server.ts';

const NAMES = 'CLASS_NAMES';

/** `given`, by properties, goes before all that the server says. Errors: INVALID_PROPERTY. */
export function hintsOfServer(
  given: Hints,
  { rt_info: openVino }: Pick<ModelMetadata, 'rt_info'>,
  configuration: Configuration | undefined,
): Hints {
  const parameters = Object.entries(configuration?.parameters ?? {});
  const configured = parameters.map(([name, { string_value: text = '' }]) => configuredHint(name, text));
  return mergeHints([given, ...configured, openVinoHints(openVino)]);
}

/** Parameters with the names of properties describe a model as a sidecar file does; all others are the server's own. */
function configuredHint(name: string, text: string): Hints {
  const where = `The parameter ${name} in the configuration of the model`;
  if (name !== NAMES) return HINT_NAMES.includes(name) ? hintOf(name, text, where) : {};
  const names = namesOf(text);
  if (names === undefined)
    throw wrongHint(`${where} must be a list of texts, or an object of texts by number.`);
  return { names };
}

const openVinoInfo = z.object({ model_info: z.object({ labels: z.unknown() }) });

/** Labels with spaces between them, and underscores for the spaces in them. */
function openVinoHints(info: unknown): Hints {
  const labels = openVinoInfo.safeParse(info).data?.model_info.labels;
  const words = typeof labels === 'string' ? labels.split(/\s+/) : namesOf(labels);
  const names = words?.filter((word) => word !== '').map((word) => word.replaceAll('_', ' '));
  return names === undefined || names.length === 0 ? {} : { names };
}
