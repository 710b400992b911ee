/** What an analysis begins with. */
export interface Given {
  readonly files?: readonly File[];
  /** Addresses of media that the server reads. */
  readonly links?: readonly string[];
}

/** Opens the sheet for a new analysis, from any view. */
type Listener = (given: Given) => void;

let listener: Listener | undefined;

export function openAnalysis(given: Given = {}): void {
  listener?.(given);
}

/** Tells who shows the sheet; answers how to stop it. */
export function onOpenAnalysis(listen: Listener): () => void {
  listener = listen;
  return () => {
    if (listener === listen) listener = undefined;
  };
}
