/** Checks whether a pipeline can process a medium whose type the request states. */
import { mediaTypeOf, statedType } from './media-types.ts';
import type { PipelinePlan, PlannedAction } from '../plan.ts';
import type { MediaType, Properties } from '../types.ts';
import { isBlank } from '../values.ts';

/** Types of documents. Other types may contain pictures or sound, which only the inspection finds. */
const DOCUMENT =
  /^(?:text\/|application\/(?:json|xml|pdf|rtf|epub\+zip|msword|vnd\.(?:openxmlformats|oasis|ms-)[\w.+-]*)$)/;

/** MIME_TYPE of the metadata, or the type of the `data:` URI, in lower case. */
export function mimeInRequest(medium: {
  readonly uri: string;
  readonly metadata: Properties;
}): string | undefined {
  const stated = medium.metadata['MIME_TYPE'];
  return isBlank(stated) ? statedType(medium.uri) : stated?.trim().toLowerCase();
}

/** The possible media types of this MIME type. Undefined: any. A video may contain only sound. */
export function possibleTypes(mime: string): readonly MediaType[] | undefined {
  const type = mediaTypeOf(mime);
  if (type === 'VIDEO') return ['VIDEO', 'AUDIO'];
  return type === 'UNKNOWN' && !DOCUMENT.test(mime) ? undefined : [type];
}

/**
 * Why the pipeline finds nothing in a medium of these types: no action of its first task processes them. `passesBy`: true if an action
 * skips the medium. Returns undefined if the pipeline may find something.
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
