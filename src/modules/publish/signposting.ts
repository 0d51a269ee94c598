import { webAddress } from '../../core/formats/html.ts';
import { collectionUrl, isFoundInPath } from '../../core/http/origin.ts';
import { LONGEST_HEADER } from '../../core/http/reply.ts';

/** Whether a client that requests an IRI requests all of it, and a service that decodes its path gets it back. */
function isFoundAtIri(iri: string, base: string): boolean {
  const rest = iri.slice(base.length);
  if (!iri.startsWith(base) || !rest.isWellFormed() || /[?#%]/.test(rest)) return false;
  return decodeURI(new URL(`http://host/${rest}`).pathname) === `/${rest}`;
}

/**
 * The URLs of a collection.
 *
 * @param origin where the service is found, without a slash at the end
 * @param base records whose IRIs start with it are found at their IRIs
 */
export function publicUrls(origin: string, collection: string, base?: string) {
  const [own, name] = [collectionUrl(origin, collection), encodeURIComponent(collection)];
  /** Proxies leave queries as they are. */
  const resource = (pid: string) =>
    `${own}/resource${isFoundInPath(pid) ? '/' : '?pid='}${encodeURIComponent(pid.toWellFormed()).replaceAll('%3A', ':')}`;
  return {
    /** The page of a record: its IRI if it is found there. */
    ofRecord: (pid: string, iri?: string): string =>
      iri !== undefined && base !== undefined && isFoundAtIri(iri, base) ? iri : resource(pid),
    inFormat: (pid: string, format: string): string =>
      `${origin}/${name}/record?pid=${encodeURIComponent(pid.toWellFormed())}&format=${format}`,
    list: `${origin}/${name}/records/p/`,
    sitemap: `${own}/sitemap.xml`,
    catalog: `${own}/catalog`,
    exported: (format: string): string => `${own}/export?format=${format}`,
    below: (path: string): string => `${own}/${path}`,
    /** The base URL for harvesters. */
    oai: `${own}/oai`,
  };
}

/** The links of a record. */
type SignpostTarget = {
  /** Where it is cited. */
  readonly url: string;
  readonly license: string | undefined;
  readonly classUri: string | undefined;
  readonly formats: readonly { readonly mediaType: string; readonly url: string }[];
  /** The list that the record is part of. */
  readonly list: string;
};

/** The header `Link` of a record; undefined if it would be too long for one. */
export function signposts({ url, license, classUri, formats, list }: SignpostTarget): string | undefined {
  const link = (target: string, parameters: string) => `<${target}>; ${parameters}`;
  // A value from outside this service may not be a URL, or not one that a header can have as it is.
  const linkOut = (target: string | undefined, parameters: string) => {
    const address = target === undefined ? undefined : webAddress(target);
    return address === undefined ? [] : [link(new URL(address).href, parameters)];
  };
  const header = [
    ...linkOut(url, 'rel="cite-as"'),
    ...formats.map((one) => link(one.url, `rel="describedby"; type="${one.mediaType}"`)),
    link('https://schema.org/AboutPage', 'rel="type"'),
    ...linkOut(classUri, 'rel="type"'),
    ...linkOut(license, 'rel="license"'),
    link(list, 'rel="collection"; type="application/json"'),
  ].join(', ');
  return header.length <= LONGEST_HEADER ? header : undefined;
}
