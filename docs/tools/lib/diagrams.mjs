/** Where the picture of a Mermaid diagram is; its name changes with its source. */
import { createHash } from 'node:crypto';
import path from 'node:path';

export const DIAGRAMS = 'docs/pictures/diagrams';

export function pictureOf(source) {
  const hash = createHash('sha256').update(source.trim()).digest('hex').slice(0, 12);
  return path.posix.join(DIAGRAMS, `${hash}.svg`);
}
