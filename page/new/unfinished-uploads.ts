/** Unfinished uploads as stored in this browser, so that they can continue after the page is reloaded. */
export interface UnfinishedUpload {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly received: number;
  /** Distinguishes files with the same name. */
  readonly lastModified: number;
}

const KEY = 'troupe.uploads';
/** Maximum number of stored uploads. The oldest are removed first. */
const MOST = 50;

type Key = Pick<File, 'name' | 'size' | 'lastModified'>;

export const unfinishedUploads = (): readonly UnfinishedUpload[] => {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(stored) ? (stored as readonly UnfinishedUpload[]).filter(isWhole) : [];
  } catch {
    // Without storage, the browser cannot continue uploads, but can still upload.
    return [];
  }
};

const isWhole = (one: Partial<UnfinishedUpload> | null) =>
  typeof one?.id === 'string' && typeof one.name === 'string' && typeof one.bytes === 'number';

export const knownUpload = (file: Key): UnfinishedUpload | undefined =>
  unfinishedUploads().find((one) => isOf(one, file));

export const rememberUpload = (
  file: Key,
  { id, received }: Pick<UnfinishedUpload, 'id' | 'received'>,
): void =>
  store([
    ...unfinishedUploads().filter((one) => !isOf(one, file)),
    { id, received, name: file.name, bytes: file.size, lastModified: file.lastModified },
  ]);

export const forgetUpload = (file: Key): void => store(unfinishedUploads().filter((one) => !isOf(one, file)));

export const forgetUploadId = (id: string): void => store(unfinishedUploads().filter((one) => one.id !== id));

const isOf = ({ name, bytes, lastModified }: UnfinishedUpload, file: Key) =>
  name === file.name && bytes === file.size && lastModified === file.lastModified;

function store(uploads: readonly UnfinishedUpload[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(uploads.slice(-MOST)));
  } catch {
    // Storage is not available, as above.
  }
}
