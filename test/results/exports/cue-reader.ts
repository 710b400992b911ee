/** A strict parser of WebVTT and SubRip files. Errors state the invalid part. */
export interface Cue {
  readonly number: string;
  readonly startMs: number;
  readonly stopMs: number;
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

export function readVtt(file: string): readonly Cue[] {
  const [head, ...blocks] = file.split(/\n\n+/);
  if (head?.trimEnd() !== 'WEBVTT') throw new Error('It does not begin as WebVTT does.');
  return blocks.map((block) => {
    const cue = cueOf(block, '.');
    if (/[<>]|&(?!amp;|lt;|gt;)/.test(cue.text))
      throw new Error(`There is markup in ${JSON.stringify(cue.text)}.`);
    return { ...cue, text: cue.text.replaceAll(/&\w+;/g, (entity) => ENTITIES[entity]!) };
  });
}

export function readSrt(file: string): readonly Cue[] {
  if (file === '') return [];
  return file.split(/\n\n+/).map((block) => {
    const cue = cueOf(block, ',');
    if (/-->|<[a-z/!]|\{\\/i.test(cue.text))
      throw new Error(`There is markup in ${JSON.stringify(cue.text)}.`);
    return { ...cue, text: cue.text.replaceAll('\u2060', '') };
  });
}

function cueOf(block: string, point: string): Cue {
  const [number = '', times = '', ...lines] = block.replace(/\n$/, '').split('\n');
  const time = String.raw`(\d{2,}):([0-5]\d):([0-5]\d)[${point}](\d{3})`;
  const found = new RegExp(`^${time} --> ${time}$`).exec(times);
  if (found === null || lines.length === 0) throw new Error(`This is no cue: ${JSON.stringify(block)}`);
  const [h = 0, m = 0, s = 0, ms = 0, h2 = 0, m2 = 0, s2 = 0, ms2 = 0] = found.slice(1).map(Number);
  return {
    number,
    startMs: ((h * 60 + m) * 60 + s) * 1_000 + ms,
    stopMs: ((h2 * 60 + m2) * 60 + s2) * 1_000 + ms2,
    text: lines.join('\n'),
  };
}
