/** Hints about a model from its server: Triton's configuration, and OpenVINO's information in the model. */
import { z } from 'zod';
import { namesOf } from '../onnx/class-names.ts';
import { HINT_NAMES, hintOf } from '../../shared/onnx-session/hint-values.ts';
import { mergeHints, wrongHint, type Hints } from '../../shared/onnx-session/hints.ts';
import type { ModelMetadata } from './protocol.ts';
import type { Configuration } from './server.ts';

const NAMES = 'CLASS_NAMES';

/** Merges the hints. `given`, from properties, overrides the server's hints. Throws INVALID_PROPERTY. */
export function hintsOfServer(
  given: Hints,
  { rt_info: openVino }: Pick<ModelMetadata, 'rt_info'>,
  configuration: Configuration | undefined,
): Hints {
  const parameters = Object.entries(configuration?.parameters ?? {});
  const configured = parameters.map(([name, { string_value: text = '' }]) => configuredHint(name, text));
  return mergeHints([given, ...configured, openVinoHints(openVino)]);
}

/** Reads a parameter. Names of properties describe the model like a sidecar file. Other parameters are for the server only. */
function configuredHint(name: string, text: string): Hints {
  const where = `The parameter ${name} in the configuration of the model`;
  if (name !== NAMES) return HINT_NAMES.includes(name) ? hintOf(name, text, where) : {};
  const names = namesOf(text);
  if (names === undefined)
    throw wrongHint(`${where} must be a list of texts, or an object of texts by number.`);
  return { names };
}

const openVinoInfo = z.object({ model_info: z.object({ labels: z.unknown() }) });

/** Reads labels, which are separated by spaces. Underscores replace the spaces within labels. */
function openVinoHints(info: unknown): Hints {
  const labels = openVinoInfo.safeParse(info).data?.model_info.labels;
  const words = typeof labels === 'string' ? labels.split(/\s+/) : namesOf(labels);
  const names = words?.filter((word) => word !== '').map((word) => word.replaceAll('_', ' '));
  return names === undefined || names.length === 0 ? {} : { names };
}
