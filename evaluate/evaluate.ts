/** Reads a truth and a document, and measures their differences. */
import { judgeBoxes } from './boxes.ts';
import { BoxTable } from './box-table.ts';
import { Classes, type Mapping } from './classes.ts';
import { headOf, walk, type DocumentHead, type DocumentSource } from './document.ts';
import { FoundBoxes, type Finder, type Wanted } from './found-boxes.ts';
import type { Evaluation } from './evaluation.ts';
import { placesOf, type Places } from './places.ts';
import { listNames, ordinal } from './sentences.ts';
import { judgeSpeech, judgeText } from './speech.ts';
import { readTruth, truthFormat } from './truth/read.ts';
import type { TruthFile } from './truth/source.ts';
import type { BoxTruth, Truth } from './truth/truth.ts';

export interface EvaluateOptions {
  readonly format?: string;
  readonly media?: number;
  readonly type?: string;
  readonly action?: string;
  readonly map?: Mapping;
  readonly step: number;
  readonly textProperty?: string;
  readonly threshold: number;
  readonly iou: number;
  /** Collar: seconds. */
  readonly collar: number;
  readonly exact?: boolean;
  readonly limit: number;
}

/** Evaluates a document. @throws EvaluationError, and errors of the source of the document */
export async function evaluate(
  truthFile: TruthFile,
  source: DocumentSource,
  options: EvaluateOptions,
): Promise<Evaluation> {
  const given = options.format === undefined ? undefined : truthFormat(options.format);
  const { format, truth } = await readTruth(truthFile, { format: given, limit: options.limit });
  const boxes = 'boxes' in truth ? { boxes: truth.boxes.count } : {};
  const head = await headOf(source);
  const part = await judge(truth, source, head, options);
  return {
    truth: { file: truthFile.name, format, ...boxes },
    document: { name: source.name, jobId: head.jobId, status: head.status },
    rules: {
      threshold: options.threshold,
      iou: options.iou,
      step: options.step,
      collarMs: options.collar * 1_000,
      exact: options.exact === true,
    },
    ...part,
    notes: [...notesAbout(head), ...part.notes],
  };
}

function* notesAbout({ status, hasExemplarsAlone }: DocumentHead): Generator<string> {
  if (!/^(COMPLETE(_WITH_WARNINGS)?)?$/.test(status))
    yield `The job ended ${status}: everything that it did not process counts as missed.`;
  if (hasExemplarsAlone)
    yield 'The document was made with OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY: it has only single detections of tracks in videos, and all others count as missed.';
}

type Part = Omit<Evaluation, 'truth' | 'document' | 'rules'>;

async function judge(
  truth: Truth,
  source: DocumentSource,
  head: DocumentHead,
  options: EvaluateOptions,
): Promise<Part> {
  const { limit, exact = false, media: mediaId, textProperty: property } = options;
  const speech = {
    wanted: wantedOf(options),
    limit,
    exact,
    mediaId,
    property,
    collarMs: options.collar * 1_000,
  };
  if (truth.kind === 'speech') {
    const { result, ...told } = await judgeSpeech(truth, source, head, speech);
    return { speech: result, ...told };
  }
  if (truth.kind === 'text') {
    const { result, ...told } = await judgeText(truth, source, head, speech);
    return { text: result, ...told };
  }
  return judgedBoxes(truth, source, head, options);
}

const wantedOf = ({ type, action }: EvaluateOptions): Wanted => ({ type, action });

async function judgedBoxes(
  truth: BoxTruth,
  source: DocumentSource,
  head: DocumentHead,
  options: EvaluateOptions,
): Promise<Part> {
  const { limit, step, media: mediaId } = options;
  const places = placesOf(truth, head.media, { mediaId, step });
  const classes = new Classes(truth.classes, options.map ?? []);
  const found = new FoundBoxes({ places, classes, wanted: wantedOf(options), limit });
  await walk(source, found);
  const notes = [...truth.notes, ...places.notes, ...classes.notes()];
  const chosen = found.chooseFinders(head.actions);
  const result = judgeBoxes(
    {
      truth: judgedTruth(truth, places, classes),
      found: foundBy(found, chosen),
      classes: classes.names,
      isFrame: (number) => places.isFrame(number),
    },
    options,
  );
  return {
    media: places.media.length,
    ...(places.count === undefined ? {} : { pictures: places.count }),
    ...result,
    evaluated: evaluatedOf(chosen, classes),
    notes: [...notes, ...notesAboutFinders(found, chosen), ...stepNotes(found.boxes, places, step)],
  };
}

/** Returns the truth's boxes with the numbers of evaluated pictures and classes. */
function judgedTruth({ boxes }: BoxTruth, places: Places, classes: Classes): BoxTable {
  boxes.keep((row) => {
    const picture = places.ofTruth(row.picture);
    return picture === undefined ? undefined : { ...row, picture, label: classes.ofTruth(row.label) };
  });
  return boxes;
}

const isSame = (one: Finder, other: Finder | undefined): boolean =>
  one.type === other?.type && one.action === other.action;

function foundBy(found: FoundBoxes, chosen: ReadonlyMap<number, Finder>): BoxTable {
  found.boxes.keep((row) => (isSame(found.finderOf(row.track), chosen.get(row.label)) ? row : undefined));
  return found.boxes;
}

function evaluatedOf(chosen: ReadonlyMap<number, Finder>, { names }: Classes): Part['evaluated'] {
  const all: { type: string; action: string; classes: string[] }[] = [];
  for (const [label, finder] of chosen) {
    const known = all.find((one) => isSame(one, finder));
    if (known === undefined) all.push({ ...finder, classes: [names[label]!] });
    else known.classes.push(names[label]!);
  }
  return all;
}

function notesAboutFinders({ finders }: FoundBoxes, chosen: ReadonlyMap<number, Finder>): readonly string[] {
  const others = finders.filter((one) => ![...chosen.values()].some((other) => isSame(one, other)));
  if (others.length === 0) return [];
  return [
    `Not evaluated, although they found the same classes (choose with --action and --type): ${listNames(others.map(({ type, action }) => `${type} of ${action}`))}.`,
  ];
}

/** Returns a note if the detector processed only each n-th frame. It has missed nothing in the other frames. */
function stepNotes(boxes: BoxTable, places: Places, step: number): readonly string[] {
  let common = 0;
  for (const { picture } of boxes) if (places.isFrame(picture)) common = greatestCommon(common, picture);
  if (places.media.length !== 1 || common <= step || boxes.count < 10) return [];
  return [
    `Something was found in each ${ordinal(common)} frame only. If the job processed no other frames (FRAME_INTERVAL), add --step ${common}.`,
  ];
}

function greatestCommon(a: number, b: number): number {
  return b === 0 ? a : greatestCommon(b, a % b);
}
