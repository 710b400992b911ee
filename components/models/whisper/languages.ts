/** Languages of Whisper, by its own codes (ISO 639-1 where possible), in the order of its tokens, with ISO 639-3. */
const CODES =
  'en:eng zh:zho de:deu es:spa ru:rus ko:kor fr:fra ja:jpn pt:por tr:tur pl:pol ca:cat nl:nld ar:ara sv:swe it:ita id:ind hi:hin ' +
  'fi:fin vi:vie he:heb uk:ukr el:ell ms:msa cs:ces ro:ron da:dan hu:hun ta:tam no:nor th:tha ur:urd hr:hrv bg:bul lt:lit la:lat ' +
  'mi:mri ml:mal cy:cym sk:slk te:tel fa:fas lv:lav bn:ben sr:srp az:aze sl:slv kn:kan et:est mk:mkd br:bre eu:eus is:isl hy:hye ' +
  'ne:nep mn:mon bs:bos kk:kaz sq:sqi sw:swa gl:glg mr:mar pa:pan si:sin km:khm sn:sna yo:yor so:som af:afr oc:oci ka:kat be:bel ' +
  'tg:tgk sd:snd gu:guj am:amh yi:yid lo:lao uz:uzb fo:fao ht:hat ps:pus tk:tuk nn:nno mt:mlt sa:san lb:ltz my:mya bo:bod tl:tgl ' +
  'mg:mlg as:asm tt:tat haw:haw ln:lin ha:hau ba:bak jw:jav su:sun yue:yue';

const ISO_BY_CODE: ReadonlyMap<string, string> = new Map(
  CODES.split(' ').map((pair) => pair.split(':') as [string, string]),
);

/** Languages in the order of tokens. A model knows the first ones, up to its number of languages. */
export const WHISPER_LANGUAGES: readonly string[] = [...ISO_BY_CODE.keys()];

/** Returns ISO 639-3 in capital letters, as in the LANGUAGE component. */
export const isoOf = (code: string): string => ISO_BY_CODE.get(code)?.toUpperCase() ?? 'UNKNOWN';

/** Returns Whisper's code for a code of ISO 639-1 or 639-3, case-insensitive; undefined if Whisper does not know the language. */
export function whisperCode(language: string): string | undefined {
  const wanted = language.toLowerCase();
  if (ISO_BY_CODE.has(wanted)) return wanted;
  return WHISPER_LANGUAGES.find((code) => ISO_BY_CODE.get(code) === wanted);
}
