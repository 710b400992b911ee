/** Gives the reader a file that the page has made. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), LATER_MS);
}

/** The browser has begun to store it: milliseconds. */
const LATER_MS = 10_000;
