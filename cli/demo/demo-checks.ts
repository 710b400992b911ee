/** Checks the results against the known content of the sample media. */
import type { Findings } from './demo-findings.ts';
import type { DocumentDetection, DocumentTrack } from '../../client/answers.ts';

export interface Check {
  readonly found: boolean;
  readonly what: string;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A portrait moves over the picture of a cup, 4 pixels per frame. */
const MOVING = {
  first: 10,
  last: 89,
  at: (frame: number): Box => ({ x: 4 * frame - 20, y: 60, width: 220, height: 240 }),
};
const MOVING_FRAMES = MOVING.last - MOVING.first + 1;
/** Returns the box of the face in the middle of that portrait. */
const movingFace = (frame: number): Box => ({ x: 4 * frame + 42, y: 114, width: 106, height: 106 });
const ASTRONAUT: Box = { x: 172, y: 74, width: 106, height: 106 };
const LINES = ['HELLO OPENMPF 2026', 'The quick brown fox jumps.'];
const SCENES = ['0-49', '50-119', '120-199', '200-249'];
const SPOKEN = [
  { from: 2_000, to: 9_100, least: 6_300 },
  { from: 12_100, to: 14_900, least: 1_500 },
];
const SPEECH_TOLERANCE_MS = 500;
/** Number of clearly visible runners and spectators. More people are in the background. */
const PERSONS = 5;
const PDF = 'text-embedded-and-images.pdf';
const PAGES = [1, 2, 3].map((page) => `This is a line of text on page ${page}.`);
const IN_PICTURES = ['UNIVERSAL DECLARATION OF HUMAN RIGHTS', '555-123-4567'];
/** Beginnings of the texts on the slides, with their languages. */
const LANGUAGES = [
  ['All human beings are born free and equal', 'English'],
  ['ジアゼパムはてんかんや興奮の治療に', 'Japanese'],
] as const;

export function checkFaces(findings: Findings): readonly Check[] {
  const moving = tracksOf(findings, 'face_move.mp4');
  const astronaut = tracksOf(findings, 'astronaut.png');
  const cat = tracksOf(findings, 'chelsea.png');
  const isFace = (detection: DocumentDetection) =>
    isMoving(detection) && overlap(detection, movingFace(detection.offsetFrame)) >= 0.4;
  const seen = framesOf(moving, isFace);
  const wrong = moving.filter(({ detections }) => !detections.every(isFace)).length;
  return [
    {
      found: seen * 2 >= MOVING_FRAMES,
      what: `face_move.mp4: the moving face, in ${seen} of its ${MOVING_FRAMES} frames (at least every second)`,
    },
    { found: moving.length > 0 && wrong === 0, what: `face_move.mp4: no other face (${wrong} false)` },
    {
      found: astronaut.length === 1 && astronaut.every(({ exemplar }) => overlap(exemplar, ASTRONAUT) >= 0.5),
      what: `astronaut.png: the one face, where it is (${astronaut.length} found)`,
    },
    {
      found: findings.has('chelsea.png') && cat.length === 0,
      what: `chelsea.png: a cat, no face (${cat.length} false)`,
    },
    ...['face_move.mp4', 'astronaut.png'].map((name) => markedUp(findings, name)),
  ];
}

/** Checks that the faces were drawn into a copy of the medium. */
function markedUp(findings: Findings, name: string): Check {
  const copy = findings.get(name)?.markedUp;
  const kilobytes = Math.ceil((copy?.bytes ?? 0) / 1_000);
  return {
    found: kilobytes > 0,
    what: `${name}: a marked-up copy of ${kilobytes} kB${copy === undefined ? '' : `, ${copy.path}`}`,
  };
}

export function checkPersons(findings: Findings): readonly Check[] {
  const tracks = tracksOf(findings, 'race.jpg');
  const persons = tracks.filter(({ trackProperties }) => trackProperties['CLASSIFICATION'] === 'person');
  const faces = tracks.filter(({ type }) => type === 'FACE');
  const within = faces.filter((face) => persons.some((person) => isInside(face.exemplar, person.exemplar)));
  return [
    {
      found: persons.length >= PERSONS,
      what: `race.jpg: ${persons.length} persons (at least ${PERSONS})`,
    },
    {
      found: within.length > 0 && within.length === faces.length,
      what: `race.jpg: faces where persons are (${within.length}), and nowhere else (${faces.length - within.length})`,
    },
  ];
}

export function checkMotion(findings: Findings): readonly Check[] {
  const tracks = tracksOf(findings, 'face_move.mp4');
  const seen = framesOf(
    tracks,
    (detection) => isMoving(detection) && isInside(detection, MOVING.at(detection.offsetFrame)),
  );
  return [
    {
      found: seen * 2 >= MOVING_FRAMES,
      what: `face_move.mp4: the moving portrait, in ${seen} of its ${MOVING_FRAMES} frames (at least every second)`,
    },
  ];
}

export function checkText(findings: Findings): readonly Check[] {
  const texts = textsOf(tracksOf(findings, 'gen_text.png'));
  const lines = LINES.map((line) => ({
    found: texts.includes(line),
    what: `gen_text.png: the words "${line}"`,
  }));
  return [
    ...lines,
    { found: texts.length === LINES.length, what: `gen_text.png: nothing else (${texts.length} lines)` },
  ];
}

export function checkDocument(findings: Findings): readonly Check[] {
  const texts = textsOf(tracksOf(findings, PDF));
  const inPictures = textsOf(findings.get(PDF)?.derived ?? []);
  return [
    {
      found: PAGES.every((line) => texts.includes(line)),
      what: `${PDF}: its text, on all ${PAGES.length} pages`,
    },
    ...IN_PICTURES.map((words) => ({
      found: inPictures.includes(words),
      what: `${PDF}: "${words}", in a picture on a page`,
    })),
  ];
}

export function checkLanguages(findings: Findings): readonly Check[] {
  const all = tracksOf(findings, 'slides.odp').map(({ trackProperties }) => trackProperties);
  const tagged = all.find(({ TEXT: text }) => text?.startsWith('An automobile with a bike') === true);
  const languages = LANGUAGES.map(([begin, language]) => ({
    found: all.some(
      ({ TEXT: text, LANGUAGE: found }) => text?.startsWith(begin) === true && found === language,
    ),
    what: `slides.odp: "${begin}…" is ${language}`,
  }));
  return [
    ...languages,
    {
      found: tagged?.['TEXT VEHICLE TRIGGER WORDS'] === 'automobile',
      what: `slides.odp: the keyword "automobile", tagged ${tagged?.['TAGS'] ?? 'as nothing'}`,
    },
  ];
}

export function checkSpeech(findings: Findings): readonly Check[] {
  const tracks = tracksOf(findings, 'vad_groundtruth.wav');
  const within = SPOKEN.map(({ from, to }) => tracks.filter((track) => isWithin(track, from, to)));
  const checks = SPOKEN.map(({ from, to, least }, i): Check => {
    const ms = (within[i] ?? []).reduce(
      (sum, { startOffsetTime, stopOffsetTime }) => sum + stopOffsetTime - startOffsetTime,
      0,
    );
    const what = `speech between ${seconds(from)} and ${seconds(to)}, ${seconds(ms)} of it (at least ${seconds(least)})`;
    return { found: ms >= least, what: `vad_groundtruth.wav: ${what}` };
  });
  const wrong = tracks.length - within.flat().length;
  return [
    ...checks,
    {
      found: tracks.length > 0 && wrong === 0,
      what: `vad_groundtruth.wav: no speech in noise and silence (${wrong} false)`,
    },
  ];
}

export function checkScenes(findings: Findings): readonly Check[] {
  const scenes = tracksOf(findings, 'scenes_pd.mp4').map(
    (track) => `${track.startOffsetFrame}-${track.stopOffsetFrame}`,
  );
  return [
    {
      found: scenes.join() === SCENES.join(),
      what: `scenes_pd.mp4: cuts at the frames 50, 120 and 200 and no others (scenes ${scenes.join(', ')})`,
    },
  ];
}

const tracksOf = (findings: Findings, name: string) => findings.get(name)?.tracks ?? [];
const textsOf = (tracks: readonly DocumentTrack[]) =>
  tracks.map(({ trackProperties }) => trackProperties['TEXT']);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const isMoving = ({ offsetFrame }: DocumentDetection) =>
  offsetFrame >= MOVING.first && offsetFrame <= MOVING.last;

/** Returns the number of frames with a detection that `fits`. */
function framesOf(tracks: readonly DocumentTrack[], fits: (detection: DocumentDetection) => boolean): number {
  return new Set(
    tracks.flatMap(({ detections }) => detections.filter(fits).map(({ offsetFrame }) => offsetFrame)),
  ).size;
}

function isWithin({ startOffsetTime, stopOffsetTime }: DocumentTrack, from: number, to: number): boolean {
  return startOffsetTime >= from - SPEECH_TOLERANCE_MS && stopOffsetTime <= to + SPEECH_TOLERANCE_MS;
}

/** True if the middle of `inner` is inside `outer`. */
function isInside(inner: Box, outer: Box): boolean {
  const [dx, dy] = [inner.x + inner.width / 2 - outer.x, inner.y + inner.height / 2 - outer.y];
  return dx >= 0 && dy >= 0 && dx <= outer.width && dy <= outer.height;
}

/** Returns the common area divided by the united area. */
function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const common = Math.max(0, width) * Math.max(0, height);
  return common / (a.width * a.height + b.width * b.height - common);
}
