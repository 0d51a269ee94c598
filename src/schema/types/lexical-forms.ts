/** The forms of texts that name something: URIs, CURIEs, names, paths. */

const PCHAR = "(?:[A-Za-z0-9\\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})";
const SEGMENTS = `(?:/${PCHAR}*)*`;
const AUTHORITY =
  "//(?:(?:[A-Za-z0-9\\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*@)?(?:\\[[0-9A-Fa-f:.vV]+\\]|(?:[A-Za-z0-9\\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::\\d*)?";
const QUERY_FRAGMENT = `(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?`;
const NO_COLON = "(?:[A-Za-z0-9\\-._~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})";
const RELATIVE = `(?:${AUTHORITY}${SEGMENTS}|/(?:${PCHAR}+${SEGMENTS})?|${NO_COLON}+${SEGMENTS}|)${QUERY_FRAGMENT}`;
/** RFC 3986: `scheme:` and the rest. ASCII only. */
const URI = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.\\-]*:(?:${AUTHORITY}${SEGMENTS}|/(?:${PCHAR}+${SEGMENTS})?|${PCHAR}+${SEGMENTS}|)${QUERY_FRAGMENT}$`,
);
/** CURIE syntax 1.0 with an ASCII prefix, which may be empty. */
const CURIE = new RegExp(`^(?:[A-Za-z_][A-Za-z0-9._\\-]*)?:${RELATIVE}$`);
const URI_REFERENCE = new RegExp(`^${RELATIVE}$`);
const NCNAME = /^[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{M}._\-\u00b7\u0387]*$/u;
const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** The most frequent URIs and relative references; below, with CURIEs. */
const FREQUENT_URI = /^(?:[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/)?)?[A-Za-z0-9\-._~]+(?:\/[A-Za-z0-9\-._~]*)*$/;

const FREQUENT_CURIE = /^(?:[A-Za-z][A-Za-z0-9._-]*:(?:\/\/)?)?[A-Za-z0-9\-._~]+(?:\/[A-Za-z0-9\-._~]*)*$/;

/** A URI, or a relative reference. */
export function isUri(text: string): boolean {
  return FREQUENT_URI.test(text) || URI.test(text) || URI_REFERENCE.test(text);
}

/** A CURIE, whether its prefix is known or not. */
export function isCurie(text: string): boolean {
  return CURIE.test(text);
}

/** A name without a colon (Namespaces in XML). */
export function isNcName(text: string): boolean {
  return NCNAME.test(text);
}

/** RFC 6901. */
export function isJsonPointer(text: string): boolean {
  return JSON_POINTER.test(text);
}

/** A URI, a relative reference (`name`, also the empty string), or a CURIE whose prefix is not `_` (a blank node). */
export function isUriOrCurie(text: string): boolean {
  return (
    FREQUENT_CURIE.test(text) ||
    isUri(text) ||
    (CURIE.test(text) && !text.startsWith(':') && !text.startsWith('_:'))
  );
}

/** A URI, a CURIE, or the label of a blank node. */
export function isNodeIdentifier(text: string): boolean {
  return isUriOrCurie(text) || /^_:[\w](?:[\w.-]*[\w-])?$/.test(text);
}

/** Starts at the root, and every bracket outside of quotes has its partner. */
export function isJsonPath(text: string): boolean {
  if (!text.startsWith('$')) return false;
  const open: string[] = [];
  let quote: string | undefined;
  for (let i = 1; i < text.length; i++) {
    const char = text[i]!;
    if (quote !== undefined) {
      if (char === '\\') i++;
      else if (char === quote) quote = undefined;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '(' || char === '[') open.push(char);
    else if ((char === ')' && open.pop() !== '(') || (char === ']' && open.pop() !== '[')) return false;
  }
  return open.length === 0 && quote === undefined;
}
