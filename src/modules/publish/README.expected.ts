/** What the commands of the page print, and where its other blocks are checked. */
import assert from 'node:assert/strict';

export const commands = ([, described, read, sitemap, catalogs, about, records]: readonly string[]) => {
  assert.match(described!, /"publish":\{"title":"People of the laboratory"/);
  assert.match(
    read!,
    /<h1>Ada (B\. )?Abe<\/h1>.*schema:name "Ada (B\. )?Abe".*"@id":"labid:person-ada-abe".*rel="license"/s,
  );
  assert.match(sitemap!, /<urlset .*<loc>http.*<lastmod>/s);
  assert.match(catalogs!, /laboratory\/catalog>.*downloadURL <http.*format=nq>/s);
  assert.match(about!, /<adminEmail>data@example.org</);
  assert.match(records!, /<dc:creator>.*<setSpec>Publication</s);
};

export const blocks = { 'text 1': 'the configuration of nginx' };
