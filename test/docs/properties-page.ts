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

You can set these properties for a job, an action, an algorithm or a medium. Each algorithm has more
properties of its own: \`GET /rest/algorithms\` lists them.

The parentheses show the type, the default and, if not all, the media types. A default applies only
to these types. A value that you set applies to all media. Names are case-insensitive.

If several places set a property, see [which value applies](../concepts/properties.md).

## Wrong values

A request with a value of another type is refused with status 400. If a description ends with a list
of words, only these words are valid. An empty value means the default.

For the following properties, a wrong value causes a warning, and the default applies:
\`MIN_GAP_*\`, \`*_SEGMENT_LENGTH\`, \`MIN_TRACK_LENGTH\`, \`MIN_OVERLAP\`,
\`*_EXEMPLAR_FRAME_PLUS\`, \`*_TOP_QUALITY_COUNT\`, \`QUALITY_SELECTION_THRESHOLD\` and
\`EXEMPLAR_POLICY\`. In an action, a wrong value is refused, except for \`EXEMPLAR_POLICY\`.

## All properties
`;

export function propertiesPage(): string {
  return `${HEAD}\n${WORKFLOW_PROPERTIES.map(entry).join('\n')}\n`;
}

function entry({ name, type, defaultValue, mediaTypes, description }: WorkflowProperty): string {
  const media = mediaTypes.length === 4 ? [] : [mediaTypes.map((one) => SHORT[one]).join(', ')];
  const fallback = defaultValue === undefined || defaultValue === '' ? [] : [defaultValue];
  return wrapLines(
    `- \`${name}\` (${[type, ...fallback, ...media].join('; ')}): ${plain(description)}`,
    '  ',
  );
}
