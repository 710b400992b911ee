/** Opens the sheet for a new analysis, from any view. */
type Listener = (files: readonly File[]) => void;

let listener: Listener | undefined;

export function openAnalysis(files: readonly File[] = []): void {
  listener?.(files);
}

/** Tells who shows the sheet; answers how to stop it. */
export function onOpenAnalysis(listen: Listener): () => void {
  listener = listen;
  return () => {
    if (listener === listen) listener = undefined;
  };
}
