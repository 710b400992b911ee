/** The detection document to evaluate. Each pass reads it from start to end, with one detection in memory at a time. */
import { parseBoolean } from '../domain/values.ts';
import { DocumentError } from '../results/document/document-scan.ts';
import { rewriteDocument } from '../results/exports/document-walk.ts';
import { isObject, tasksOf, textOf } from '../results/document/found-values.ts';
import type { FoundMedium, Writer } from '../results/document/findings.ts';
import { FileNames } from '../results/exports/pictures.ts';
import { EvaluationError, reasonOf } from './error.ts';

/** Where a document comes from. */
export interface DocumentSource {
  /** Readable name of the document. */
  readonly name: string;
  /** Opens the document. Called for each pass. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

export interface NamedMedium {
  readonly medium: FoundMedium;
  /** Last part of the URI. It starts with the id if an earlier medium has the same name. */
  readonly name: string;
}

/** The parts of a document before its findings. */
export interface DocumentHead {
  readonly jobId: string;
  readonly status: string;
  /** Names of actions in the order of the pipeline. */
  readonly actions: readonly string[];
  readonly media: readonly NamedMedium[];
  /** True if a property of the job, an algorithm or an action removed most detections of tracks. */
  readonly hasExemplarsAlone: boolean;
}

/** Passes the document to a writer. @throws EvaluationError */
export async function walk(source: DocumentSource, writer: Writer): Promise<void> {
  const document = await source.open();
  try {
    for await (const _ of rewriteDocument(document, writer)) continue;
  } catch (error) {
    if (error instanceof EvaluationError) throw error;
    const isWrong =
      error instanceof DocumentError || error instanceof SyntaxError || error instanceof TypeError;
    throw new EvaluationError(
      `${source.name} ${isWrong ? 'is not a detection document' : 'cannot be read completely'}: ${reasonOf(error)}`,
    );
  }
}

/** Reads the head of a document. @throws EvaluationError */
export async function headOf(source: DocumentSource): Promise<DocumentHead> {
  const reader = new HeadReader();
  await walk(source, reader);
  if (reader.media.length > 0) return reader;
  throw new EvaluationError(
    `${source.name} has no media: is it a detection document (troupe jobs output ID)?`,
  );
}

class HeadReader implements Writer, DocumentHead {
  jobId = '';
  status = '';
  actions: readonly string[] = [];
  hasExemplarsAlone = false;
  readonly media: NamedMedium[] = [];
  readonly #names = new FileNames();

  ofJob(field: string, value: unknown): void {
    if (field === 'jobId') this.jobId = textOf(value);
    else if (field === 'status') this.status = textOf(value);
    else if (field === 'pipeline' && isObject(value)) this.actions = [...tasksOf(value).keys()];
    if (field === 'pipeline' || field.endsWith('Properties'))
      this.hasExemplarsAlone ||= isSet(value, EXEMPLARS);
  }

  medium(medium: FoundMedium): string {
    this.media.push({ medium, name: this.#names.of(medium) });
    return '';
  }
}

const EXEMPLARS = 'OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY';

/** True if the value or a part of it has the property set to true. */
function isSet(value: unknown, property: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, one]: [string, unknown]) =>
    name === property ? parseBoolean(textOf(one)) === true : isSet(one, property),
  );
}
