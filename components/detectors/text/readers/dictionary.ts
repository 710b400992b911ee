/** Reads the characters for the outputs of a recogniser, from its metadata or a file beside it. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { textBelow } from '../../../shared/model-files/neighbour.ts';
import type { ModelFile } from '../../../shared/model-files/model-file.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';
import { charactersInYaml } from './yaml-characters.ts';

interface Dictionary {
  /** Place of the dictionary, for messages. */
  readonly place: string;
  readonly characters: readonly string[];
}

/** Name of the metadata in PaddleOCR and RapidOCR. */
const METADATA = 'character';
const ENDING = '.txt';
/** Name of PaddleOCR's export since PP-OCRv5. */
const EXPORTED = 'inference.yml';

/** Returns characters by class. Class 0 is "no character". Throws INVALID_PROPERTY if there is none, or it does not fit. */
export async function charactersOf(
  file: ModelFile,
  metadata: ReadonlyMap<string, string>,
  classes: number,
): Promise<readonly string[]> {
  const { place, characters } = await dictionaryOf(file, metadata.get(METADATA));
  // A dictionary has no blank. It has the space only if its model was trained with it.
  if (classes === characters.length + 1) return ['', ...characters];
  if (classes === characters.length + 2) return ['', ...characters, ' '];
  throw invalidProperty(
    `The model ${file.name} has ${classes} outputs, but ${place} has ${characters.length} characters: it needs ${classes - 2}, or ${classes - 1} with the space. Use the dictionary that belongs to the model.`,
  );
}

async function dictionaryOf(file: ModelFile, inside: string | undefined): Promise<Dictionary> {
  if (inside !== undefined) return { place: 'the dictionary in its metadata', characters: linesOf(inside) };
  const beside = await fileBeside(file);
  const name = path.basename(beside ?? '');
  const text = beside === undefined ? undefined : await textBelow(file.root, beside, name);
  if (text === undefined)
    throw invalidProperty(
      `The model ${file.name} has no dictionary. Put the text file with its characters, one a line, beside it as ${path.basename(besideOf(file))}, or its ${EXPORTED}.`,
    );
  return { place: `the dictionary ${name}`, characters: name === EXPORTED ? listIn(text) : linesOf(text) };
}

function listIn(text: string): readonly string[] {
  const characters = charactersInYaml(text);
  if (characters !== undefined) return characters;
  throw invalidProperty(
    `The file ${EXPORTED} beside the model has no list character_dict. Copy the file of the model again.`,
  );
}

const besideOf = ({ found }: ModelFile): string => `${found.replace(/\.onnx$/, '')}${ENDING}`;

/** Returns `<model>.txt`, `inference.yml`, or the only text file of the folder. */
async function fileBeside(file: ModelFile): Promise<string | undefined> {
  const folder = path.dirname(file.found);
  const names = await readdir(folder);
  const known = [path.basename(besideOf(file)), EXPORTED].find((name) => names.includes(name));
  if (known !== undefined) return path.join(folder, known);
  const texts = names.filter((name) => name.endsWith(ENDING));
  return texts.length === 1 ? path.join(folder, texts[0]!) : undefined;
}

/** Returns the lines. A line may be a space, which is a character. */
const linesOf = (text: string): readonly string[] =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
