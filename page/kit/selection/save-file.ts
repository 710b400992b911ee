/** Downloads a file that the page has created. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), LATER_MS);
}

/** Time after which the browser has started to store the file: milliseconds. */
const LATER_MS = 10_000;
