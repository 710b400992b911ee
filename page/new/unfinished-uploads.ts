/** What this browser knows of uploads that are not finished, so that they can be continued after the page was loaded again. */
export interface UnfinishedUpload {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly received: number;
  /** Tells two files of one name apart. */
  readonly lastModified: number;
}

const KEY = 'troupe.uploads';
/** The oldest go first. */
const MOST = 50;

type Key = Pick<File, 'name' | 'size' | 'lastModified'>;

export const unfinishedUploads = (): readonly UnfinishedUpload[] => {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(stored) ? (stored as readonly UnfinishedUpload[]).filter(isWhole) : [];
  } catch {
    // A browser that stores nothing cannot continue, but can upload.
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
    // As above.
  }
}
