/** Decodes a part of a URL for users. Returns it unchanged if it contains an invalid % sequence. */
export function decodeText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
