/** The reference page of workflow properties, generated from their table. */
import type { MediaType } from '../../domain/types.ts';
import { WORKFLOW_PROPERTIES, type WorkflowProperty } from '../../domain/properties/workflow-properties.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

const SHORT: Readonly<Record<MediaType, string>> = {
  VIDEO: 'video',
  IMAGE: 'image',
  AUDIO: 'audio',
  UNKNOWN: 'other',
};

const HEAD = `---
description: Every property, with its default.
---

# Properties

You can set these properties for a job, an action, an algorithm or a medium
([which value applies](../concepts/properties.md)). \`GET /rest/algorithms\` lists the properties of
each algorithm.

The parentheses show the type, the default and the media types to which the default applies, if not
to all. A value that you set applies to all media. Names are case-insensitive.

## Wrong values

A value of another type is refused with status 400. If a description ends with a list of words, only
these words are valid. An empty value means the default.

Only for these properties, a wrong value causes a warning, and the default applies:
\`MIN_GAP_*\`, \`*_SEGMENT_LENGTH\`, \`MIN_TRACK_LENGTH\`, \`MIN_OVERLAP\`,
\`*_EXEMPLAR_FRAME_PLUS\`, \`*_TOP_QUALITY_COUNT\`, \`QUALITY_SELECTION_THRESHOLD\` and
\`EXEMPLAR_POLICY\`. In an action, a wrong value is refused, except for \`EXEMPLAR_POLICY\`.

## All properties
`;

export function propertiesPage(): string {
  const own = WORKFLOW_PROPERTIES.filter(({ name }) => !name.startsWith(OF_SOURCE));
  return `${HEAD}\n${[...own.map(entry), SOURCE].join('\n')}\n`;
}

/**
 * Properties of the bucket from which results are copied. The rest of the name is that of another property.
 */
const OF_SOURCE = 'ARCHIVE_COPY_SRC_';
const SOURCE = wrapLines(
  `- \`${OF_SOURCE}<S3_...>\` (STRING): The S3 property of the source of copies, if it differs.`,
  '  ',
);

function entry({ name, type, defaultValue, mediaTypes, description }: WorkflowProperty): string {
  const media = mediaTypes.length === 4 ? [] : [mediaTypes.map((one) => SHORT[one]).join(', ')];
  const fallback = defaultValue === undefined || defaultValue === '' ? [] : [defaultValue];
  return wrapLines(
    `- \`${name}\` (${[type, ...fallback, ...media].join('; ')}): ${plain(description)}`,
    '  ',
  );
}
