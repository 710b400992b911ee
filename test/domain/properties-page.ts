/** The page of documentation about workflow properties, made from the table. */
import type { MediaType } from '../../domain/types.ts';
import { WORKFLOW_PROPERTIES, type WorkflowProperty } from '../../domain/workflow-properties.ts';

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

This page is made from the table in the code.
`;

export function propertiesPage(): string {
  const head = row(['Property', 'Type', 'Default', 'Media', 'What it does']);
  const rule = row(['---', '---', '---', '---', '---']);
  return `${HEAD}\n${[head, rule, ...WORKFLOW_PROPERTIES.map(propertyRow)].join('\n')}\n`;
}

function propertyRow({ name, type, defaultValue, mediaTypes, description }: WorkflowProperty): string {
  const media = mediaTypes.length === 4 ? 'all' : mediaTypes.map((one) => SHORT[one]).join(', ');
  return row([`\`${name}\``, type, defaultValue ?? '', media, description]);
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
