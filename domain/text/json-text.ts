/** Replaces strings inside a JSON text, so that the rest stays unchanged: numbers of any size, order and layout. */

/** Returns the replacement. `value` is the parsed string, `holder` the parsed object or array around it, and `key` its key there. */
export type Replace = (value: string, holder: unknown, key: string) => string;

/** State of the scanner: the current parsed object or array, and the next member. */
interface Frame {
  readonly holder: unknown;
  readonly isArray: boolean;
  key: string;
  keyIsNext: boolean;
}

/**
 * Replaces strings in a valid JSON text. `root` has the result of JSON.parse under the key "$". Of a repeated key, JSON.parse keeps the
 * last value, which is also used for earlier objects or arrays of the same kind.
 */
export function replaceStrings(text: string, root: { readonly $: unknown }, replace: Replace): string {
  const frames: Frame[] = [{ holder: root, isArray: false, key: '$', keyIsNext: false }];
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const frame = frames.at(-1)!;
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      const value = JSON.parse(text.slice(at, end)) as string;
      if (frame.keyIsNext) frame.key = value;
      else {
        const wanted = replace(value, frame.holder, frame.key);
        if (wanted !== value) {
          pieces.push(text.slice(copied, at), JSON.stringify(wanted));
          copied = end;
        }
      }
      frame.keyIsNext = false;
      at = end - 1;
    } else step(frames, frame, character);
  }
  return `${pieces.join('')}${text.slice(copied)}`;
}

function step(frames: Frame[], frame: Frame, character: string | undefined): void {
  if (character === '{' || character === '[') {
    const isArray = character === '[';
    frames.push({ holder: childOf(frame, isArray), isArray, key: '0', keyIsNext: !isArray });
  } else if (character === '}' || character === ']') frames.pop();
  else if (character === ',' && frame.isArray) frame.key = String(Number(frame.key) + 1);
  else if (character === ',') frame.keyIsNext = true;
}

function childOf({ holder, key }: Frame, isArray: boolean): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined;
  const child = (holder as Readonly<Record<string, unknown>>)[key];
  return Array.isArray(child) === isArray ? child : undefined;
}

/** Position after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
