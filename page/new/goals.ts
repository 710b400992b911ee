/** Goals of an analysis in plain words, with the actions that reach them. */
import { elementTitle } from '../kit/format.ts';
import type { IconName } from '../kit/icons.tsx';
import { TEXT } from '../kit/text.ts';

export type MediaKind = 'VIDEO' | 'IMAGE' | 'AUDIO' | 'DOCUMENT';

export interface Goal {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly icon: IconName;
  /** Kinds of media to which the goal applies. */
  readonly kinds: readonly MediaKind[];
  /** The pipeline for this goal alone. */
  readonly pipeline: string;
  /** Actions that can share a task with those of other goals. Absent if the goal needs a job of its own. */
  readonly actions?: readonly string[];
  /** True if findings are boxes in a picture. */
  readonly hasBoxes?: true;
}

/** Goal that needs a server that groups faces. */
export const SAME_PERSON = 'same-person';

/** Goal that needs a model. */
export const OWN = 'own';

export const GOALS: readonly Goal[] = [
  {
    id: 'things',
    title: TEXT.new.peopleAndThings,
    hint: TEXT.new.peopleVehiclesAnimalsAnd70,
    icon: 'person',
    kinds: ['VIDEO', 'IMAGE'],
    pipeline: 'OBJECT DETECTION PIPELINE',
    actions: ['OBJECT DETECTION ACTION'],
    hasBoxes: true,
  },
  {
    id: 'faces',
    title: TEXT.new.faces,
    hint: TEXT.new.eachFaceFollowedThroughVideos,
    icon: 'face',
    kinds: ['VIDEO', 'IMAGE'],
    pipeline: 'FACE DETECTION PIPELINE',
    actions: ['FACE DETECTION ACTION'],
    hasBoxes: true,
  },
  {
    id: SAME_PERSON,
    title: TEXT.new.samePerson,
    hint: TEXT.new.facesThatLookAlike,
    icon: 'user',
    kinds: ['VIDEO', 'IMAGE'],
    pipeline: 'FACE EMBEDDING PIPELINE',
  },
  {
    id: 'text',
    title: TEXT.new.textInPictures,
    hint: TEXT.new.signsCaptionsScreenshotsScans,
    icon: 'text',
    kinds: ['VIDEO', 'IMAGE'],
    pipeline: 'TEXT DETECTION PIPELINE',
    actions: ['TEXT DETECTION ACTION'],
    hasBoxes: true,
  },
  {
    id: 'speech',
    title: TEXT.new.speech,
    hint: TEXT.new.whenSomebodySpeaks,
    icon: 'speech',
    kinds: ['VIDEO', 'AUDIO'],
    pipeline: 'SPEECH DETECTION PIPELINE',
    actions: ['SPEECH DETECTION ACTION'],
  },
  {
    id: 'transcript',
    title: TEXT.new.transcript,
    hint: TEXT.new.whatSomebodySaysAsText,
    icon: 'speech',
    kinds: ['VIDEO', 'AUDIO'],
    pipeline: 'WHISPER SPEECH DETECTION PIPELINE',
    actions: ['WHISPER SPEECH DETECTION ACTION'],
  },
  {
    id: 'scenes',
    title: TEXT.new.scenes,
    hint: TEXT.new.whereAVideoCuts,
    icon: 'scenes',
    kinds: ['VIDEO'],
    pipeline: 'SCENE CHANGE DETECTION PIPELINE',
    actions: ['SCENE CHANGE DETECTION ACTION'],
  },
  {
    id: 'motion',
    title: TEXT.new.motion,
    hint: TEXT.new.whatMovesWhateverItIs,
    icon: 'motion',
    kinds: ['VIDEO'],
    pipeline: 'MOTION DETECTION PIPELINE',
    actions: ['MOTION DETECTION ACTION'],
    hasBoxes: true,
  },
  {
    id: 'barcodes',
    title: TEXT.new.barcodes,
    hint: TEXT.new.qrCodesAndBarcodesWith,
    icon: 'barcode',
    kinds: ['VIDEO', 'IMAGE'],
    pipeline: 'BARCODE DETECTION PIPELINE',
    actions: ['BARCODE DETECTION ACTION'],
    hasBoxes: true,
  },
  {
    id: 'documents',
    title: TEXT.new.textOfDocuments,
    hint: TEXT.new.pdfWordSlidesAndSheets,
    icon: 'document',
    kinds: ['DOCUMENT'],
    pipeline: 'DOCUMENT IMAGES THEN TEXT DETECTION PIPELINE',
  },
  {
    id: 'quality',
    title: TEXT.new.quality,
    hint: TEXT.new.blackOrFrozenPicturesSilence,
    icon: 'quality',
    kinds: ['VIDEO', 'AUDIO'],
    pipeline: 'MEDIA QUALITY DETECTION PIPELINE',
  },
  {
    id: OWN,
    title: TEXT.new.ownModel,
    hint: TEXT.new.anOnnxModelOfThis,
    icon: 'model',
    kinds: ['VIDEO', 'IMAGE'],
    pipeline: 'ONNX DETECTION PIPELINE',
  },
];

const ENDINGS: Readonly<Record<MediaKind, RegExp>> = {
  IMAGE: /\.(jpe?g|png|gif|bmp|tiff?|webp|hei[cf]|avif|jp2)$/i,
  AUDIO: /\.(wav|mp3|flac|m4a|aac|ogg|oga|opus|amr|wma)$/i,
  DOCUMENT: /\.(pdf|docx?|pptx?|xlsx?|od[tps]|txt|md|csv|json|html?|xml|log)$/i,
  VIDEO: /\.(mp4|m4v|mov|mkv|webm|avi|ts|mts|mpe?g|wmv|flv|3gp)$/i,
};

/** Returns the probable kind of a medium, from its name and the type that the browser reports. Returns undefined if the kind is unknown. */
export function kindOf(name: string, type = ''): MediaKind | undefined {
  if (/^image\/gif$/.test(type) || /\.gif$/i.test(name)) return 'VIDEO';
  if (type.startsWith('video/')) return 'VIDEO';
  if (type.startsWith('image/')) return 'IMAGE';
  if (type.startsWith('audio/')) return 'AUDIO';
  return (Object.keys(ENDINGS) as MediaKind[]).find((kind) => ENDINGS[kind].test(name));
}

/** Returns the title of a pipeline: its goal, else its name. */
export const pipelineTitle = (name: string): string =>
  GOALS.find(({ pipeline }) => pipeline === name)?.title ?? elementTitle(name);

interface Analysis {
  readonly pipelineName: string;
  /** Actions of a pipeline that belongs to this job alone. */
  readonly pipelineActions?: readonly string[] | undefined;
}

/** Returns what a job looks for: the title of its pipeline, or the goals of its own pipeline. */
export function analysisTitle({ pipelineName, pipelineActions = [] }: Analysis): string {
  const goals = GOALS.filter(({ actions = [] }) =>
    actions.some((action) => pipelineActions.includes(action)),
  ).map(({ title }, n) => (n === 0 ? title : lowerFirst(title)));
  return goals.length === 0 ? pipelineTitle(pipelineName) : new Intl.ListFormat('en').format(goals);
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
