/** Formats of the results of a job, besides the detection document itself. */
export const EXPORT_FORMATS = {
  ndjson: { type: 'application/x-ndjson; charset=utf-8', extension: 'ndjson' },
  csv: { type: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
  cvat: { type: 'application/xml; charset=utf-8', extension: 'xml' },
  coco: { type: 'application/json', extension: 'coco.json' },
  vtt: { type: 'text/vtt; charset=utf-8', extension: 'vtt' },
  srt: { type: 'application/x-subrip; charset=utf-8', extension: 'srt' },
  parquet: { type: 'application/vnd.apache.parquet', extension: 'parquet' },
  labelstudio: { type: 'application/json', extension: 'labelstudio.json' },
  yolo: { type: 'application/zip', extension: 'yolo.zip' },
  html: { type: 'text/html; charset=utf-8', extension: 'html' },
} as const satisfies Readonly<Record<string, { readonly type: string; readonly extension: string }>>;

/** The name of an export file of a job or of one medium. `jobId`: such as `host-12`. */
export function exportFileName(jobId: string, format: DocumentFormat, mediaId?: number | string): string {
  const ofMedium = mediaId === undefined ? '' : `-medium-${mediaId}`;
  const extension = format === 'json' ? format : EXPORT_FORMATS[format].extension;
  return `${jobId.replaceAll(/[^\w.-]/g, '_')}${ofMedium}.${extension}`;
}

/** Formats that can contain many jobs in one file. The others contain one job or one medium. */
export const JOINED_FORMATS = ['ndjson', 'csv', 'parquet', 'coco', 'labelstudio', 'yolo'] as const;
export type JoinedFormat = (typeof JOINED_FORMATS)[number];

/** The name of an export file of many jobs. */
export const joinedFileName = (format: JoinedFormat): string =>
  `troupe-export.${EXPORT_FORMATS[format].extension}`;

export type ExportFormat = keyof typeof EXPORT_FORMATS;
export const EXPORT_FORMAT_NAMES = Object.keys(EXPORT_FORMATS) as readonly ExportFormat[];

/** All formats including the detection document. `json` is the default. */
export const DOCUMENT_FORMATS = ['json', ...EXPORT_FORMAT_NAMES] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];
