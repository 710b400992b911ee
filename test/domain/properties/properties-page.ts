/** The page of documentation about workflow properties, made from the table. */
import type { MediaType } from '../../../domain/types.ts';
import {
  WORKFLOW_PROPERTIES,
  type WorkflowProperty,
} from '../../../domain/properties/workflow-properties.ts';
import { wrapLines } from '../../support/wrap-lines.ts';

const SHORT: Readonly<Record<MediaType, string>> = {
  VIDEO: 'video',
  IMAGE: 'image',
  AUDIO: 'audio',
  UNKNOWN: 'other',
};

const HEAD = `# Workflow properties

What any job, action, algorithm or medium may set, whatever the algorithm declares itself. \`GET /rest/algorithms\` lists them
with each algorithm's own. The default is in force for media of the types named; a value that somebody sets always is.

Of several values for one property the first in this list counts: environment of the server (\`TROUPE_PROP_<NAME>\`),
\`selectionProperties\` of a media selector (for its own parts of the document), \`properties\` of the medium,
\`algorithmProperties\` of the request, \`jobProperties\`, the action, the algorithm's default, the default below. The
detection document of a job with OUTPUT_DETAILS=TRUE tells in \`effectiveProperties\` what was in force.

A value must be of the type in parentheses. Where a description ends with a list of words, the value
must be one of them, in any case. A request with another value is refused with 400. A blank value
stands for the default.

Wrong values of these properties are warnings, and the default counts, as in the reference system:
MIN_GAP_*, *_SEGMENT_LENGTH, MIN_TRACK_LENGTH, MIN_OVERLAP, *_EXEMPLAR_FRAME_PLUS,
*_TOP_QUALITY_COUNT, QUALITY_SELECTION_THRESHOLD, EXEMPLAR_POLICY. In an action they are refused,
except EXEMPLAR_POLICY. Wrong values of \`TROUPE_PROP_<NAME>\` are warnings in the log at the start.

In parentheses stand the type of its value, the default and the media that it is for. This page is made from the table in the code.
`;

export function propertiesPage(): string {
  return `${HEAD}\n${WORKFLOW_PROPERTIES.map(entry).join('\n')}\n`;
}

function entry({ name, type, defaultValue, mediaTypes, description }: WorkflowProperty): string {
  const media = mediaTypes.length === 4 ? 'all media' : mediaTypes.map((one) => SHORT[one]).join(', ');
  const fallback = defaultValue === undefined || defaultValue === '' ? [] : [`default ${defaultValue}`];
  return wrapLines(`- \`${name}\` (${[type, ...fallback, media].join('; ')}): ${description}`, '  ');
}
