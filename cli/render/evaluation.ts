/** Measured accuracy as text. */
import { factLines, Table, type Column } from '../terminal/columns.ts';
import type { BoxMeasures, ByClass } from '../../evaluate/boxes.ts';
import type { Evaluation } from '../../evaluate/evaluation.ts';
import type { SpeechMeasures } from '../../evaluate/measures/speech-time.ts';
import type { TrackingMeasures } from '../../evaluate/measures/tracking.ts';
import type { TextErrors } from '../../evaluate/measures/word-errors.ts';
import type { SpeechResult, TextResult } from '../../evaluate/speech.ts';

const ALL = 'ALL';

/** Returns the lines of an evaluation. `width`: characters per line. */
export function evaluationLines(evaluation: Evaluation, width: number): readonly string[] {
  const { boxes, tracking, speech, text, notes } = evaluation;
  return [
    ...factLines(factsOf(evaluation)),
    ...(boxes === undefined ? [] : ['', ...boxLines(boxes, width), '', ...sizeLines(boxes.overall)]),
    ...(tracking === undefined ? [] : ['', ...trackingLines(tracking, width)]),
    ...(speech === undefined ? [] : ['', ...speechLines(speech, width)]),
    ...(text === undefined ? [] : ['', ...textLines(text, width)]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ];
}

function factsOf({ truth, document, media, pictures, evaluated, rules, ...measured }: Evaluation) {
  const { threshold, iou, step, collarMs, exact } = rules;
  const isBoxes = measured.boxes !== undefined;
  const what = isBoxes ? `, ${countOf(truth.boxes ?? 0, 'box', 'boxes')}` : '';
  return {
    Truth: `${truth.file} (${truth.format}${what})`,
    Document: document.name.endsWith(document.jobId)
      ? document.name
      : `${document.name} of job ${document.jobId}`,
    Judged: isBoxes
      ? `${pictures === undefined ? 'all frames' : countOf(pictures, 'picture or frame', 'pictures or frames')} of ${countOf(media ?? 0, 'medium', 'media')}${step > 1 ? ', of videos one frame of ' + step : ''}`
      : '',
    Found: evaluated.map(
      ({ type, action, classes }) =>
        `${type} of ${action}${classes === undefined ? '' : ` (${classes.join(', ')})`}`,
    ),
    Rules: isBoxes
      ? `precision, recall and tracking: confidence from ${threshold} on, overlap from ${iou} on`
      : measured.speech === undefined
        ? exact
          ? 'texts unchanged'
          : 'case and punctuation do not count'
        : `${measured.speech.measure}, collar of ${collarMs / 1_000} s`,
  };
}

const countOf = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
const figure = (value: number | null): string => (value === null ? '-' : value.toFixed(3));
const percent = (value: number | null): string => (value === null ? '-' : `${(100 * value).toFixed(1)} %`);
const seconds = (ms: number): string => (ms / 1_000).toFixed(2);

/** Returns columns of numbers, to the right of a name. */
function columns<T>(
  title: string,
  nameOf: (row: T) => string,
  values: Readonly<Record<string, (row: T) => string>>,
): readonly Column<T>[] {
  const figures = Object.entries(values).map(([name, of]) => ({ title: name, of, right: true as const }));
  return [{ title, of: nameOf, flexible: true }, ...figures];
}

const rowsOf = <T>({ classes, overall }: ByClass<T>): readonly ({ readonly class: string } & T)[] => [
  ...classes,
  { class: ALL, ...overall },
];

type Row<T> = { readonly class: string } & T;

const BOXES = columns<Row<BoxMeasures>>('CLASS', (row) => row.class, {
  TRUTH: ({ truths }) => String(truths),
  FOUND: ({ found }) => String(found),
  AP: ({ ap }) => figure(ap),
  AP50: ({ ap50 }) => figure(ap50),
  AP75: ({ ap75 }) => figure(ap75),
  RIGHT: ({ truePositives }) => String(truePositives),
  WRONG: ({ falsePositives }) => String(falsePositives),
  MISSED: ({ falseNegatives }) => String(falseNegatives),
  PRECISION: ({ precision }) => figure(precision),
  RECALL: ({ recall }) => figure(recall),
  F1: ({ f1 }) => figure(f1),
});

const boxLines = (boxes: ByClass<BoxMeasures>, width: number): readonly string[] =>
  new Table(BOXES, width).lines(rowsOf(boxes));

function sizeLines(all: BoxMeasures): readonly string[] {
  const { apSmall, apMedium, apLarge, ar1, ar10, ar100 } = all;
  return factLines({
    'AP by size': `small ${figure(apSmall)}, medium ${figure(apMedium)}, large ${figure(apLarge)}`,
    'AR by number': `1 a picture ${figure(ar1)}, 10 ${figure(ar10)}, 100 ${figure(ar100)}`,
  });
}

const TRACKING = columns<Row<TrackingMeasures>>('CLASS', (row) => row.class, {
  OBJECTS: ({ objects }) => String(objects),
  MOTA: ({ mota }) => figure(mota),
  MOTP: ({ motp }) => figure(motp),
  IDF1: ({ idf1 }) => figure(idf1),
  IDP: ({ idPrecision }) => figure(idPrecision),
  IDR: ({ idRecall }) => figure(idRecall),
  MISSED: ({ misses }) => String(misses),
  WRONG: ({ falsePositives }) => String(falsePositives),
  SWITCHES: ({ switches }) => String(switches),
});

const trackingLines = (tracking: ByClass<TrackingMeasures>, width: number): readonly string[] =>
  new Table(TRACKING, width).lines(rowsOf(tracking));

type SpeechRow = { readonly medium: string } & SpeechMeasures;

function speechLines({ measure, overall, media }: SpeechResult, width: number): readonly string[] {
  const isDiarization = measure === 'diarization';
  const table = columns<SpeechRow>('MEDIUM', ({ medium }) => medium, {
    'SPOKEN S': ({ spokenMs }) => seconds(spokenMs),
    'MISSED S': ({ missedMs }) => seconds(missedMs),
    'WRONG S': ({ falseAlarmMs }) => seconds(falseAlarmMs),
    ...(isDiarization ? { 'OTHER SPEAKER S': ({ confusedMs }: SpeechRow) => seconds(confusedMs) } : {}),
    MISS: ({ missRate }) => percent(missRate),
    'FALSE ALARM': ({ falseAlarmRate }) => percent(falseAlarmRate),
    ...(isDiarization ? { CONFUSION: ({ confusionRate }: SpeechRow) => percent(confusionRate) } : {}),
    [isDiarization ? 'DER' : 'ERROR RATE']: ({ errorRate }) => percent(errorRate),
  });
  const all = media.length > 1 ? [{ medium: ALL, ...overall }] : [];
  return new Table(table, width).lines([...media, ...all]);
}

type TextRow = { readonly of: string } & TextErrors;

function textLines({ words, characters }: TextResult, width: number): readonly string[] {
  const table = columns<TextRow>('OF', ({ of }) => of, {
    TRUTH: ({ wanted }) => String(wanted),
    FOUND: ({ found }) => String(found),
    REPLACED: ({ substitutions }) => String(substitutions),
    'LEFT OUT': ({ deletions }) => String(deletions),
    'PUT IN': ({ insertions }) => String(insertions),
    'ERROR RATE': ({ errorRate }) => percent(errorRate),
  });
  const rows = [
    { of: 'words', ...words },
    ...(characters === null ? [] : [{ of: 'characters', ...characters }]),
  ];
  return new Table(table, width).lines(rows);
}
