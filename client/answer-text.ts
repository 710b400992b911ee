/** Reads the body of an answer as JSON and as text. */

/** Returns undefined if the body is not JSON. */
export function jsonOf({ text }: { readonly text: string }): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Returns the stable name of an error. */
export function codeOf(answer: { readonly text: string }): string | undefined {
  const code = fieldOf(jsonOf(answer), 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Returns the message of an error answer: that of a CoreResponse, or a plain one. */
export function messageOf(answer: { readonly text: string }): string | undefined {
  const body = jsonOf(answer);
  const message = fieldOf(fieldOf(body, 'coreResponse'), 'message') ?? fieldOf(body, 'message');
  return typeof message === 'string' && message.trim() !== '' ? message.trim() : undefined;
}
