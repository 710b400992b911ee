/** Starts the requests of the first view before the modules of the page are loaded. The server writes this script into the page. */
{
  const { hash } = location;
  const ask = (path: string): readonly [string, Promise<Response>] => {
    const url = new URL(path, document.baseURI.replace(/#.*$/, '')).href;
    const asked = fetch(url);
    // The module that uses the answer handles its error.
    asked.catch(() => undefined);
    return [url, asked];
  };
  const utcOffset = -new Date().getTimezoneOffset();
  const library = `rest/library?sort=newest&group=day&utcOffset=${utcOffset}&limit=60`;
  const isLibrary = /^#?\/?(?:library(?:\?view=\w+)?)?$/.test(hash);
  globalThis.firstAnswers = new Map((isLibrary ? ['rest/session', library] : ['rest/session']).map(ask));
}
