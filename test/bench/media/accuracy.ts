/**
 * Hits and misses of the detectors on the samples with default settings, for docs/records/accuracy.md.
 * accuracy-truth.ts contains the ground truth.
 */
import path from 'node:path';
import sharp from 'sharp';
import loadFaces from '../../../components/detectors/faces/detector.ts';
import loadObjects from '../../../components/detectors/objects/detector.ts';
import loadScenes from '../../../components/detectors/scenes/detector.ts';
import loadSpeech from '../../../components/detectors/speech/detector.ts';
import loadText from '../../../components/detectors/text/detector.ts';
import type { Detector, FoundTrack, Frame } from '../../../components/sdk/detector.ts';
import { openAudio } from '../../../media/sound/audio.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import { all, jobOf, NO_MODELS } from '../../components/visual.ts';
import { CUTS, FACES, OBJECTS, SPOKEN, TEXTS } from './accuracy-truth.ts';
import { round, type Figure } from '../measure.ts';

const ANGLE_STEP = 15;

const sample = (name: string): string => path.join('samples', name);

export async function accuracy(): Promise<readonly Figure[]> {
  return [
    ...(await textFigures()),
    ...(await faceFigures()),
    ...(await objectFigures()),
    ...(await timeFigures()),
  ];
}

/** Edit distance in characters. Spaces count, and line breaks count as spaces. */
export function errors(wanted: string, found: string): number {
  const [a, b] = [normalizeSpaces(wanted), normalizeSpaces(found)];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

const normalizeSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** All text of a picture in reading order. */
export async function textOf(detector: Detector, frame: Frame): Promise<string> {
  const tracks = await all(detector.image!(frame, await jobOf('text', { MERGE_LINES: 'TRUE' })));
  return tracks.map(({ properties }) => properties?.['TEXT'] ?? '').join(' ');
}

/** A sample on white, rotated clockwise. */
export async function turnedSample(name: string, degrees: number): Promise<Frame> {
  const picture = sharp(sample(name)).removeAlpha().rotate(degrees, { background: 'white' });
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return { index: 0, time: 0, width: info.width, height: info.height, data, warmUp: false };
}

async function textFigures(): Promise<readonly Figure[]> {
  const detector = await loadText(NO_MODELS);
  const figures: Figure[] = [];
  const started = process.cpuUsage();
  for (const [name, wanted] of Object.entries(TEXTS)) {
    const found = await textOf(detector, await readImage(sample(name)));
    const wrong = errors(wanted, found);
    const share =
      wanted === '' ? `${wrong} characters where there is no text` : errorRate(wrong, wanted.length);
    figures.push({
      what: `TEXT, ${name}`,
      value: `${share}${wrong === 0 ? '' : `: "${normalizeSpaces(found)}"`}`,
    });
  }
  const seconds = cpuSeconds(started) / Object.keys(TEXTS).length;
  const wanted = TEXTS['gen_text.png']!;
  let [wrong, characters] = [0, 0];
  for (let degrees = 0; degrees < 360; degrees += ANGLE_STEP) {
    wrong += errors(wanted, await textOf(detector, await turnedSample('gen_text.png', degrees)));
    characters += wanted.length;
  }
  await detector.close!();
  return [
    ...figures,
    {
      what: `TEXT, gen_text.png turned in steps of ${ANGLE_STEP} degrees`,
      value: errorRate(wrong, characters),
    },
    { what: 'TEXT, seconds of processor time a picture', value: round(seconds, 2) },
  ];
}

const errorRate = (wrong: number, of: number): string =>
  `${round((100 * wrong) / of, 1)} % of ${of} characters wrong`;

function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

async function faceFigures(): Promise<readonly Figure[]> {
  const detector = await loadFaces();
  let [hits, missed, wrong] = [0, 0, 0];
  const started = process.cpuUsage();
  for (const [name, wanted] of Object.entries(FACES)) {
    const found = await inPicture(detector, 'faces', name);
    hits += Math.min(wanted, found.length);
    missed += Math.max(0, wanted - found.length);
    wrong += Math.max(0, found.length - wanted);
  }
  const seconds = round(cpuSeconds(started) / Object.keys(FACES).length, 2);
  await detector.close?.();
  const value = `${hits} found, ${missed} missed, ${wrong} wrong; ${seconds} s of processor time a picture`;
  return [{ what: `FACE, ${Object.keys(FACES).length} pictures`, value }];
}

async function objectFigures(): Promise<readonly Figure[]> {
  const detector = await loadObjects();
  const figures: Figure[] = [];
  for (const [name, wanted] of Object.entries(OBJECTS)) {
    const found = (await inPicture(detector, 'objects', name)).map(
      ({ properties, confidence }) => [properties?.['CLASSIFICATION'] ?? '', confidence] as const,
    );
    const classes = new Map(found.toReversed());
    const told = [...classes].map(([name, confidence]) => `${name} ${round(confidence, 2)}`).join(', ');
    const missed = wanted.filter((name) => !classes.has(name));
    const wrong = [...classes.keys()].filter((name) => !wanted.includes(name));
    const faults = [
      ...(missed.length > 0 ? [`missed: ${missed.join(', ')}`] : []),
      ...(wrong.length > 0 ? [`wrong: ${wrong.join(', ')}`] : []),
    ];
    const value = [told === '' ? 'nothing' : told, ...faults].join('; ');
    figures.push({ what: `OBJECT, ${name}`, value });
  }
  await detector.close?.();
  return figures;
}

async function inPicture(
  detector: Detector,
  component: string,
  name: string,
): Promise<readonly FoundTrack[]> {
  return all(detector.image!(await readImage(sample(name)), await jobOf(component)));
}

async function timeFigures(): Promise<readonly Figure[]> {
  const scenes = await loadScenes();
  const film = await openVideo(sample('scenes_pd.mp4'), {});
  const cuts = (await all(scenes.video!(film, await jobOf('scenes'))))
    .map((track) => track.startFrame ?? track.detections[0]!.frame)
    .filter((frame) => frame > 0);
  film.close();
  const faces = await loadFaces();
  const walk = await openVideo(sample('face_move.mp4'), {});
  const tracks = await all(faces.video!(walk, await jobOf('faces')));
  walk.close();
  const seen = new Set(tracks.flatMap(({ detections }) => detections.map(({ frame }) => frame)));
  const shown = Array.from({ length: 80 }, (_, i) => i + 10);
  const speech = await loadSpeech();
  const sound = await openAudio(sample('vad_groundtruth.wav'), {});
  const spoken = await all(speech.audio!(sound, await jobOf('speech')));
  const right = cuts.filter((frame) => CUTS.includes(frame)).length;
  return [
    {
      what: 'SCENE, scenes_pd.mp4',
      value: `${right} of ${CUTS.length} cuts at their frame, ${cuts.length - right} wrong`,
    },
    {
      what: 'FACE, face_move.mp4',
      value: `seen in ${shown.filter((frame) => seen.has(frame)).length} of 80 frames that show it, in ${[...seen].filter((frame) => !shown.includes(frame)).length} of 20 others; ${tracks.length} track(s)`,
    },
    {
      what: 'SPEECH, vad_groundtruth.wav',
      value: `told ${spoken.map(({ startTime, stopTime }) => `${round(startTime)}-${round(stopTime)}`).join(', ')} ms, spoken ${SPOKEN.map(([from, to]) => `${round(from)}-${round(to)}`).join(', ')} ms`,
    },
  ];
}
