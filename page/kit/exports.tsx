import { urlOf, type Query } from './api.ts';
import { Menu } from './menu.tsx';

/** What an export is for, and the name of its format. */
interface Offer {
  readonly format: string;
  readonly name: string;
  readonly pictures?: true;
}

const REPORT: readonly Offer[] = [{ format: 'html', name: 'Report to share or print (HTML)' }];
const TABLES: readonly Offer[] = [
  { format: 'csv', name: 'Spreadsheet (CSV)' },
  { format: 'parquet', name: 'Data analysis (Parquet)' },
  { format: 'ndjson', name: 'Programs (NDJSON)' },
];
const TRAINING: readonly Offer[] = [
  { format: 'labelstudio', name: 'Correct in Label Studio' },
  { format: 'yolo', name: 'Train a model (YOLO)' },
  { format: 'yolo', name: 'Train a model, with pictures (YOLO)', pictures: true },
  { format: 'coco', name: 'Train a model (COCO)' },
];
const CVAT: readonly Offer[] = [{ format: 'cvat', name: 'Correct in CVAT' }];
const SUBTITLES: readonly Offer[] = [
  { format: 'vtt', name: 'Subtitles (WebVTT)' },
  { format: 'srt', name: 'Subtitles (SubRip)' },
];
const DOCUMENT: readonly Offer[] = [{ format: 'json', name: 'Everything (JSON)' }];

interface Found {
  readonly mediaType: string;
  readonly cues: number;
}

/** Boxes are in pictures and videos alone. */
const isSeen = ({ mediaType }: Pick<Found, 'mediaType'>) => mediaType === 'VIDEO' || mediaType === 'IMAGE';

/** What the service has of one medium. */
export const offersOfMedium = (medium: Found): readonly Offer[] => [
  ...REPORT,
  ...(medium.cues > 0 ? SUBTITLES : []),
  ...TABLES,
  ...(isSeen(medium) ? [...CVAT, ...TRAINING] : []),
];

/** What it has of all media of a job. */
export const offersOfJob = (media: readonly Found[]): readonly Offer[] => [
  ...REPORT,
  ...TABLES,
  ...(media.some(isSeen) ? TRAINING : []),
  ...DOCUMENT,
];

/** What it has of many jobs. */
export const offersOfJobs: readonly Offer[] = [...TABLES, ...TRAINING];

/** A menu of downloads. `first`: what stands before the exports. `isLeft`: the button stands at the left of the page. */
export function ExportMenu({
  path,
  query,
  offers,
  first,
  isLeft = false,
}: {
  readonly path: string;
  readonly query?: Query;
  readonly offers: readonly Offer[];
  readonly first?: { readonly href: string; readonly name: string };
  readonly isLeft?: boolean;
}) {
  return (
    <Menu
      label="Export"
      className={isLeft ? 'exports from-left' : 'exports'}
      button={<span class="button">Export</span>}
    >
      {first !== undefined && (
        <a href={first.href} download>
          {first.name}
        </a>
      )}
      {offers.map(({ format, name, pictures }) => (
        <a key={name} href={urlOf(path, { format, pictures, ...query })} download>
          {name}
        </a>
      ))}
    </Menu>
  );
}
