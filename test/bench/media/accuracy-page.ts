/**
 * `npm run accuracy`: runs the built-in detectors as jobs of a real service on samples with ground truth,
 * measures them with `troupe evaluate`, and writes the results between the two marks in
 * docs/records/accuracy.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import type { BoxMeasures } from '../../../evaluate/boxes.ts';
import type { Evaluation } from '../../../evaluate/evaluation.ts';
import { Place, sample } from '../../cli/support/support.ts';
import { TEXTS } from './accuracy-truth.ts';
import { writeContactSheet } from './contact-sheet.ts';

const PAGE = 'docs/records/accuracy.md';
const [BEGIN, END] = ['<!-- Made by npm run accuracy: begin -->', '<!-- end -->'];

const truth = (name: string): string => path.resolve('test/bench/media/truth', name);
const pipeline = (of: string): string => `${of} DETECTION PIPELINE`;

/** Runs a job with the given media and returns the path of its document. */
async function documentOf(
  place: Place,
  media: readonly string[],
  of: string,
  properties: readonly string[] = [],
): Promise<string> {
  const found = path.join(place.folder, 'found.json');
  const given = properties.flatMap((property) => ['--property', property]);
  await run(place, ['analyze', ...media, '--pipeline', pipeline(of), '--output', found, ...given]);
  return found;
}

async function run(place: Place, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await place.troupe(args);
  if (code !== 0) throw new Error(`troupe ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

const runEvaluation = async (place: Place, ...args: readonly string[]): Promise<Evaluation> =>
  JSON.parse(await run(place, ['evaluate', ...args, '--json'])) as Evaluation;

const figure = (value: number | null | undefined): string => (value === null || value === undefined ? '-' : value.toFixed(3)); // oxfmt-ignore
const percent = (value: number | null | undefined): string => (value === null || value === undefined ? '-' : `${(100 * value).toFixed(1)} %`); // oxfmt-ignore

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return ['', line(head), line(head.map(() => '---')), ...rows.map(line)];
}

const BOX_HEAD = ['Detector', 'Over', 'AP', 'AP50', 'Precision', 'Recall', 'Right / wrong / missed'];

const boxRow = (detector: string, over: string, one: BoxMeasures): readonly string[] => [
  ...[detector, over, figure(one.ap), figure(one.ap50), figure(one.precision), figure(one.recall)],
  `${one.truePositives} / ${one.falsePositives} / ${one.falseNegatives}`,
];

const imagesOf = (file: string): readonly string[] =>
  (JSON.parse(readFileSync(truth(file), 'utf8')) as { images: { file_name: string }[] }).images.map((image) => image.file_name); // oxfmt-ignore

async function pictures(
  place: Place,
  of: string,
  file: string,
  properties: readonly string[] = [],
): Promise<Evaluation> {
  const media = imagesOf(file).map((name) => (file === 'barcodes.json' ? truth(name) : sample(name)));
  return runEvaluation(place, truth(file), await documentOf(place, media, of, properties));
}

async function video(place: Place, of: string, file: string): Promise<Evaluation> {
  const found = await documentOf(place, [sample('face_move.mp4')], of);
  return runEvaluation(place, truth(file), found, '--map', `object=${of}`);
}

async function boxFigures(place: Place): Promise<readonly string[]> {
  const faces = await pictures(place, 'FACE', 'faces.json');
  const objects = await pictures(place, 'OBJECT', 'objects.json');
  const unsure = await pictures(place, 'OBJECT', 'objects.json', ['CONFIDENCE_THRESHOLD=0.05']);
  const codes = await pictures(place, 'BARCODE', 'barcodes.json');
  const [face, motion] = [
    await video(place, 'FACE', 'face_move-face.txt'),
    await video(place, 'MOTION', 'face_move-motion.txt'),
  ];
  const film = 'face_move.mp4, 100 frames';
  const rows = [
    boxRow('FACE', `${faces.pictures} pictures`, faces.boxes!.overall),
    boxRow('FACE', film, face.boxes!.overall),
    boxRow('OBJECT', `${objects.pictures} pictures`, objects.boxes!.overall),
    boxRow('OBJECT, CONFIDENCE_THRESHOLD=0.05', 'the same', unsure.boxes!.overall),
    boxRow('MOTION', film, motion.boxes!.overall),
    boxRow('BARCODE', 'gen_barcodes.png, five codes', codes.boxes!.overall),
  ];
  const classes = objects.boxes!.classes.map((one) => boxRow('OBJECT', one.class, one));
  const tracked = [face, motion].map(({ tracking }, number) => {
    const { mota, motp, idf1, misses, falsePositives, switches } = tracking!.overall;
    return [
      number === 0 ? 'FACE' : 'MOTION',
      figure(mota),
      figure(motp),
      figure(idf1),
      `${misses} / ${falsePositives} / ${switches}`,
    ];
  });
  return [
    ...table(BOX_HEAD, rows),
    '',
    'Objects by class, with the default CONFIDENCE_THRESHOLD of 0.4:',
    ...table(['Detector', 'Class', ...BOX_HEAD.slice(2)], classes),
    '',
    `Tracking, ${film}:`,
    ...table(['Detector', 'MOTA', 'MOTP', 'IDF1', 'Missed / wrong / switches'], tracked),
  ];
}

const SHEET = { width: 1_664, height: 1_248 };

/** A contact sheet of the pictures, with and without tiles. */
async function tileFigures(place: Place): Promise<readonly string[]> {
  const sheet = await writeContactSheet(place.folder, truth('objects.json'), SHEET);
  const rows: (readonly string[])[] = [];
  for (const size of ['0', 'AUTO', '320']) {
    const found = await documentOf(place, [sheet.picture], 'OBJECT', [`TILE_SIZE=${size}`]);
    const [small, all] = [
      await runEvaluation(place, sheet.small, found),
      await runEvaluation(place, sheet.all, found),
    ];
    const detector = `OBJECT, TILE_SIZE=${size}`;
    rows.push(boxRow(detector, 'objects of 16 to 32 pixels', small.boxes!.overall));
    rows.push(boxRow(detector, 'all objects', all.boxes!.overall));
  }
  const about = `A contact sheet of the pictures, ${SHEET.width} x ${SHEET.height} pixels, with and without tiles:`;
  return ['', about, ...table(BOX_HEAD, rows)];
}

async function textFigures(place: Place): Promise<readonly string[]> {
  const written = Object.entries(TEXTS).filter(([, text]) => text !== '');
  const rows: string[][] = [];
  const sum = { words: 0, wrongWords: 0, characters: 0, wrongCharacters: 0 };
  for (const [name, text] of written) {
    const file = path.join(place.folder, `${name}.txt`);
    writeFileSync(file, text);
    const found = await documentOf(place, [sample(name)], 'TEXT', ['MERGE_LINES=TRUE']);
    const { text: result } = await runEvaluation(place, file, found, '--type', 'TEXT');
    const { words, characters } = result!;
    sum.words += words.wanted;
    sum.characters += characters!.wanted;
    sum.wrongWords += words.substitutions + words.deletions + words.insertions;
    sum.wrongCharacters += characters!.substitutions + characters!.deletions + characters!.insertions;
    rows.push([
      name,
      String(words.wanted),
      percent(words.errorRate),
      String(characters!.wanted),
      percent(characters!.errorRate),
    ]);
  }
  const all = ['all', String(sum.words), percent(sum.wrongWords / sum.words), String(sum.characters), percent(sum.wrongCharacters / sum.characters)]; // oxfmt-ignore
  return table(
    ['Text read (TEXT, MERGE_LINES)', 'Words', 'Word error rate', 'Characters', 'Character error rate'],
    [...rows, all],
  );
}

async function speechFigures(place: Place): Promise<readonly string[]> {
  const found = await documentOf(place, [sample('vad_groundtruth.wav')], 'SPEECH');
  const rows: string[][] = [];
  for (const collar of ['0', '0.25']) {
    const { speech } = await runEvaluation(place, truth('vad_groundtruth.rttm'), found, '--collar', collar);
    const { spokenMs, missRate, falseAlarmRate, errorRate } = speech!.overall;
    rows.push([
      `${collar} s`,
      `${(spokenMs / 1_000).toFixed(1)} s`,
      percent(missRate),
      percent(falseAlarmRate),
      percent(errorRate),
    ]);
  }
  return table(
    ['Speech (SPEECH, vad_groundtruth.wav), collar', 'Spoken', 'Missed', 'False alarm', 'Error rate'],
    rows,
  );
}

const place = new Place();
try {
  await place.serve({
    MEDIA_ROOTS: [path.resolve('samples'), path.resolve('test/bench/media/truth')].join(path.delimiter),
  });
  const [cpu] = cpus();
  const lines = [
    `Measured on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} x ${cpu?.model ?? 'unknown'}.`,
    ...(await boxFigures(place)),
    ...(await tileFigures(place)),
    ...(await textFigures(place)),
    ...(await speechFigures(place)),
  ];
  const page = readFileSync(PAGE, 'utf8');
  const [before, after] = [page.split(BEGIN), page.split(END)];
  if (before.length !== 2 || after.length !== 2)
    throw new Error(`${PAGE} does not have the two marks once each.`);
  writeFileSync(PAGE, `${before[0]}${BEGIN}\n\n${lines.join('\n')}\n\n${END}${after[1]}`);
  console.log(lines.join('\n'));
} finally {
  await place.leave();
}
