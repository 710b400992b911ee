/** A part of an address as people read it; one with a % that encodes nothing stays as it is. */
export function decodeText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
