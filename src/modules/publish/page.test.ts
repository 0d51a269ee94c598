import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { html, jsonData, webAddress } from '../../core/formats/html.ts';
import { messagePage, PAGE_POLICY, TOKENS } from './page.ts';

test('values of templates stay text, in elements and in attributes', () => {
  const hostile = `</title><script>alert(1)</script>"' onload="x" &amp; \u0000\ud800`;
  const { text } = html`<p title="${hostile}">${[hostile, html`<b>${1}</b>`]}${undefined}</p>`;
  const safe =
    '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; onload=&quot;x&quot; &amp;amp; \ufffd\ufffd';
  assert.equal(text, `<p title="${safe}">${safe}<b>1</b></p>`);
});

test('data cannot end its element', () => {
  const { text } = jsonData('application/ld+json', { a: '</script><!--' });
  assert.equal(text, '<script type="application/ld+json">{"a":"\\u003c/script>\\u003c!--"}</script>');
});

test('only addresses of the web are links', () => {
  for (const one of ['http://a.example/', 'HTTPS://a.example/x?y#z']) assert.equal(webAddress(one), one);
  for (const one of ['javascript:alert(1)', 'data:text/html,x', ' https://a', 'https:///x', '//a', 'http://'])
    assert.equal(webAddress(one), undefined, one);
});

test('pages have the tokens of the desk, and a policy without scripts', () => {
  const desk = readFileSync(resolve(import.meta.dirname, '../../../ui/styles/tokens.css'), 'utf8');
  for (const token of TOKENS.split(';').filter((one) => one.trim() !== ''))
    assert.ok(desk.includes(`${token.trim()};`), token);
  assert.match(PAGE_POLICY, /^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
  assert.match(messagePage('<a>', '<b>'), /<h1>&lt;a&gt;<\/h1>\n<p>&lt;b&gt;<\/p>/);
});
