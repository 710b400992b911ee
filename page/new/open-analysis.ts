/** The initial media of an analysis. */
export interface Given {
  readonly files?: readonly File[];
  /** Addresses of media that the server reads. */
  readonly links?: readonly string[];
}

/** A function that opens the sheet for a new analysis. */
type Listener = (given: Given) => void;

let listener: Listener | undefined;

export function openAnalysis(given: Given = {}): void {
  listener?.(given);
}

/** Registers the component that shows the sheet. Returns a function that removes it. */
export function onOpenAnalysis(listen: Listener): () => void {
  listener = listen;
  return () => {
    if (listener === listen) listener = undefined;
  };
}
