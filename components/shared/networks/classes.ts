/** The 80 classes of the COCO data set, in the order of the network's class numbers. */
import type { Properties } from '../../../domain/types.ts';
import { invalidProperty } from '../tracking/settings.ts';

// oxfmt-ignore
export const CLASSES: readonly string[] = [
  'person', 'bicycle', 'car', 'motorcycle', 'airplane', 'bus', 'train', 'truck', 'boat', 'traffic light',
  'fire hydrant', 'stop sign', 'parking meter', 'bench', 'bird', 'cat', 'dog', 'horse', 'sheep', 'cow',
  'elephant', 'bear', 'zebra', 'giraffe', 'backpack', 'umbrella', 'handbag', 'tie', 'suitcase', 'frisbee',
  'skis', 'snowboard', 'sports ball', 'kite', 'baseball bat', 'baseball glove', 'skateboard', 'surfboard', 'tennis racket', 'bottle',
  'wine glass', 'cup', 'fork', 'knife', 'spoon', 'bowl', 'banana', 'apple', 'sandwich', 'orange',
  'broccoli', 'carrot', 'hot dog', 'pizza', 'donut', 'cake', 'chair', 'couch', 'potted plant', 'bed',
  'dining table', 'toilet', 'tv', 'laptop', 'mouse', 'remote', 'keyboard', 'cell phone', 'microwave', 'oven',
  'toaster', 'sink', 'refrigerator', 'book', 'clock', 'vase', 'scissors', 'teddy bear', 'hair drier', 'toothbrush',
];

/**
 * Returns the classes that a property lists, separated by ";" and case-insensitive; all classes if the list is empty. Throws
 * INVALID_PROPERTY.
 */
export function classesOf(properties: Properties, name: string): ReadonlySet<string> {
  const wanted = (properties[name] ?? '')
    .split(';')
    .map((word) => word.trim().toLowerCase().replaceAll(/\s+/g, ' '))
    .filter((word) => word !== '');
  const unknown = wanted.find((word) => !CLASSES.includes(word));
  if (unknown !== undefined)
    throw invalidProperty(
      `The ${name} property is "${unknown}", which is no class. Classes: ${CLASSES.join('; ')}.`,
    );
  return new Set(wanted.length === 0 ? CLASSES : wanted);
}
