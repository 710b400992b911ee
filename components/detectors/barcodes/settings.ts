/** Reads and checks the properties of the descriptor. */
import { READABLE_BARCODE_FORMATS, type ReadInputBarcodeFormat } from 'zxing-wasm/reader';
import { countOf, invalidProperty } from '../../shared/tracking/settings.ts';
import type { Properties } from '../../../domain/types.ts';

/** Formats to read; empty for all. */
export type Formats = readonly ReadInputBarcodeFormat[];

export interface BarcodeSettings {
  readonly formats: Formats;
  /** Maximum number of consecutive processed frames without the code of a track. */
  readonly maxGap: number;
}

const KNOWN: Formats = [...READABLE_BARCODE_FORMATS, 'AllLinear', 'AllMatrix', 'AllRetail', 'AllIndustrial'];

/** Reads the settings. Throws MISSING_PROPERTY, INVALID_PROPERTY. */
export function readSettings(properties: Properties): BarcodeSettings {
  return { formats: formatsOf(properties, 'FORMATS'), maxGap: countOf(properties, 'TRACKING_MAX_GAP', 0) };
}

/** Reads format names. Case, spaces, hyphens and slashes are ignored, as in "EAN-13" and "QR Code". */
function formatsOf(properties: Properties, name: string): Formats {
  const words = (properties[name] ?? '').split(';').filter((word) => word.trim() !== '');
  return words.map((word) => {
    const format = KNOWN.find((known) => plain(known) === plain(word));
    if (format === undefined)
      throw invalidProperty(
        `The ${name} property is "${word.trim()}", which is no format of barcodes. Formats: ${KNOWN.join('; ')}.`,
      );
    return format;
  });
}

const plain = (word: string) => word.toLowerCase().replaceAll(/[\s/_-]/g, '');
