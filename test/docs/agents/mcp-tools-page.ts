/** The reference page of the MCP tools. */
import { z } from 'zod';
import { TOOLS } from '../../../mcp/server.ts';
import type { Tool } from '../../../mcp/tool.ts';
import type { Schema } from '../text/schema-text.ts';
import { plain, wrapLines } from '../text/wrap-lines.ts';

const HEAD = `---
description: The tools of the Model Context Protocol.
keywords: MCP, agent, assistant, tool, Model Context Protocol, search, findings, transcript, frame
---

# Tools for agents

Agents call these tools at \`/mcp\`, or over \`troupe mcp\`. See
[Use Troupe with an agent](../guides/use-with-an-agent.md). An agent gets the meaning of each
argument from the server.

An answer has at most about 3,500 tokens. If there is more, its last line says which argument gives
the next part. Text from media, file names and texts of other users are in quotes.

The server supports the protocol versions 2026-07-28, and 2024-10-07 to 2025-11-25, without
sessions.

Times in a medium are seconds (83.5) or text (\`1:23.5\`). Other times are dates such as
\`2026-03-01T09:30Z\`.
`;

export function mcpToolsPage(): string {
  return `${HEAD}${TOOLS.map(section).join('')}`;
}

/** The section of a tool with the names of its arguments. */
function section({ name, description, input, isReadOnly }: Tool): string {
  const needs = isReadOnly ? '' : ' Needs `MCP_WRITE=true`, or `troupe mcp --write`.';
  const schema = z.toJSONSchema(input, { io: 'input' }) as Schema;
  const shown = Object.keys(schema.properties ?? {}).map(
    (argument) => `\`${argument}\`${schema.required?.includes(argument) === true ? ' (required)' : ''}`,
  );
  const named = wrapLines(`Arguments: ${shown.join(', ')}.`);
  return `\n## ${name}\n\n${wrapLines(`${plain(description)}${needs}`)}\n\n${named}\n`;
}
