/** Whether a pipeline can process a medium whose type is part of the request. */
import { mediaTypeOf, statedType } from './media-types.ts';
import type { PipelinePlan, PlannedAction } from '../plan.ts';
import type { MediaType, Properties } from '../types.ts';
import { isBlank } from '../values.ts';

/** Types of documents. Other types may be containers of pictures or sounds: only inspection knows. */
const DOCUMENT =
  /^(?:text\/|application\/(?:json|xml|pdf|rtf|epub\+zip|msword|vnd\.(?:openxmlformats|oasis|ms-)[\w.+-]*)$)/;

/** MIME_TYPE of the metadata, else the type of the `data:` URI, in small letters. */
export function mimeInRequest(medium: {
  readonly uri: string;
  readonly metadata: Properties;
}): string | undefined {
  const stated = medium.metadata['MIME_TYPE'];
  return isBlank(stated) ? statedType(medium.uri) : stated?.trim().toLowerCase();
}

/** What a medium of this MIME type can turn out to be; undefined: anything. A video may hold sound alone. */
export function possibleTypes(mime: string): readonly MediaType[] | undefined {
  const type = mediaTypeOf(mime);
  if (type === 'VIDEO') return ['VIDEO', 'AUDIO'];
  return type === 'UNKNOWN' && !DOCUMENT.test(mime) ? undefined : [type];
}

/**
 * Why the pipeline finds nothing in a medium that can be of these types: no action of the first task that takes it processes them.
 * `passesBy`: whether an action leaves the medium alone. Undefined: it may find something.
 */
export function unacceptedMedium(
  { tasks }: PipelinePlan,
  mime: string,
  passesBy: (action: PlannedAction) => boolean,
): string | undefined {
  const types = possibleTypes(mime);
  const first = tasks.find(({ actions }) => actions.some((action) => !passesBy(action)));
  if (types === undefined || first === undefined) return undefined;
  const accepted = new Set<MediaType>();
  for (const action of first.actions.filter((one) => !passesBy(one))) {
    const { mediaTypes } = action.algorithm;
    if (mediaTypes === undefined || types.some((type) => mediaTypes.includes(type))) return undefined;
    for (const type of mediaTypes) accepted.add(type);
  }
  return `The task "${first.name}" does not process ${mime} (${types[0]}), only ${[...accepted].join(', ')}. Choose a pipeline for this type.`;
}
