/**
 * Ground truth of the samples, marked by a person, for `npm run bench accuracy` and the tests of its values.
 */

/** The text of a picture in reading order. */
export const TEXTS: Readonly<Record<string, string>> = {
  'gen_text.png': 'HELLO OPENMPF 2026 The quick brown fox jumps.',
  'hello-world.png': 'Hello, World!',
  'lp-bmw.jpg': 'LV42DY',
  'race.jpg': '308 365',
  'eng.png':
    'Human Rights. Bulgarian and English. UNIVERSAL DECLARATION OF HUMAN RIGHTS Article 1 All human beings are born free ' +
    'and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a ' +
    'spirit of brotherhood.',
  'yellow-car.jpg': 'SHA8109T',
  'astronaut.png': '',
  'chelsea.png': '',
  'coffee.png': '',
  'rocket.jpg': '',
  'digital-clock.jpg': '12:17',
  'collie.jpg': '',
};

/** Number of recognisable faces in a picture, without distant runners. */
export const FACES: Readonly<Record<string, number>> = {
  'astronaut.png': 1,
  'grace_hopper_512x512.jpg': 1,
  'camera.png': 1,
  'chelsea.png': 0,
  'coffee.png': 0,
  'rocket.jpg': 0,
  'collie.jpg': 0,
  'red-car.jpg': 0,
};

/** The main objects of a picture that belong to the classes of the network (COCO). */
export const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  'astronaut.png': ['person'],
  'grace_hopper_512x512.jpg': ['person', 'tie'],
  'camera.png': ['person'],
  'chelsea.png': ['cat'],
  'coffee.png': ['cup', 'spoon', 'dining table'],
  'rocket.jpg': [],
  'race.jpg': ['person'],
  'red-car.jpg': ['car'],
  'yellow-car.jpg': ['car'],
  'lp-bmw.jpg': ['car'],
  'digital-clock.jpg': ['clock'],
  'collie.jpg': ['dog'],
};

/** Frames of scenes_pd.mp4 at which a scene begins. */
export const CUTS = [50, 120, 200];
/** Milliseconds with speech in vad_groundtruth.wav. From 9,100 to 12,100 there is noise. */
export const SPOKEN = [[2_000, 9_100], [12_100, 14_900]] as const; // oxfmt-ignore
