/** The reference page of the tools for agents. */
import { z } from 'zod';
import { TOOLS } from '../../../mcp/server.ts';
import type { Tool } from '../../../mcp/tool.ts';
import { typeText, type Schema } from '../text/schema-text.ts';
import { plain, wrapLines } from '../text/wrap-lines.ts';

const HEAD = `---
description: The tools of the Model Context Protocol.
keywords: MCP, agent, assistant, tool, Model Context Protocol, search, findings, transcript, frame
---

# Tools for agents

Agents call these tools at \`/mcp\`, or over \`troupe mcp\`. See
[Use Troupe with an agent](../guides/use-with-an-agent.md).

An answer has at most about 3,500 tokens. If there is more, its last line says which argument gives
the next part. Text from media, file names and texts of other users are in quotes.

The server supports the protocol versions 2026-07-28, and 2024-10-07 to 2025-11-25. Every request
is complete in itself: there are no sessions.
`;

export function mcpToolsPage(): string {
  const seen = new Map<string, string>();
  return `${HEAD}${TOOLS.map((tool) => section(tool, seen)).join('')}`;
}

/** The section of a tool. Arguments that an earlier tool has too, with the same long text, are only named. */
function section(tool: Tool, seen: Map<string, string>): string {
  const { name, description, input, isReadOnly } = tool;
  const needs = isReadOnly ? '' : ' Needs `MCP_WRITE=true`, or `troupe mcp --write`.';
  const schema = z.toJSONSchema(input, { io: 'input' }) as Schema;
  const required = new Set(schema.required);
  const items = Object.entries(schema.properties ?? {}).map(([argument, of]) => {
    const text = `(${argumentType(of, required.has(argument))})${about(of)}`;
    const earlier = seen.get(`${argument} ${text}`);
    if (earlier === undefined) seen.set(`${argument} ${text}`, name);
    const isLong = text.split(' ').length > LONG;
    const shown = earlier === undefined || !isLong ? text : `: see [${earlier}](#${earlier})`;
    return wrapLines(`- \`${argument}\`${shown.startsWith(':') ? '' : ' '}${shown}`, '  ');
  });
  return `\n## ${name}\n\n${wrapLines(`${plain(description)}${needs}`)}\n\n${items.join('\n')}\n`;
}

function argumentType(schema: Schema, isRequired: boolean): string {
  const initial = schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`;
  return `${typeText(schema)}${isRequired ? ', required' : ''}${initial}`;
}

/** Words of a text that is not repeated. */
const LONG = 6;

const about = ({ description }: Schema): string =>
  description === undefined ? '' : `: ${plain(description)}`;
