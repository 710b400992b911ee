import type { z } from 'zod';

const MAX_LINES = 20;

/** The problems of a body as one text, a line each: where, then what. */
export function problemsOf(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, MAX_LINES)
    .map(({ path, message }) => `${path.map(String).join('.') || 'body'}: ${message}`);
  if (error.issues.length > lines.length) lines.push(`(and ${error.issues.length - lines.length} more)`);
  return lines.join('\n');
}
