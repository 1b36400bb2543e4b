import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { HtmlLinks } from './html-links.ts';

const rewritten = async (chunks: readonly Uint8Array[]): Promise<string> => {
	const page = Readable.from(chunks).pipe(new HtmlLinks((link) => `<${link}>`));
	return (await buffer(page)).toString('latin1');
};

for (const [name, page, want] of [
	['in double quotes, single quotes or none', `<a href="/a"><a href='/b'><a href=/c>`, `<a href="</a>"><a href='</b>'><a href=</c>>`],
	['whatever the case', '<A HREF="/a">x</A>', '<A HREF="</a>">x</A>'],
	['several of a tag', '<img src="/a" alt="/b" longdesc="/c"/>', '<img src="</a>" alt="/b" longdesc="</c>"/>'],
	['only attributes that are links of their tag', '<p href="/a"><a src="/b" href>', '<p href="/a"><a src="/b" href>'],
	[
		'nothing in scripts and comments',
		`<script>"<a href='/a'>"</script><!-- <a href="/b"> -->`,
		`<script>"<a href='/a'>"</script><!-- <a href="/b"> -->`,
	],
	['a script by its source', '<script src="/a"></script>', '<script src="</a>"></script>'],
	['references unread', '<a href="/a?b&amp;c">&amp;</a>', '<a href="</a?b&amp;c>">&amp;</a>'],
	['bytes as they are', '\xff\xc3\xa4<a href="/\xc3\xa4">\xc3\xa4', '\xff\xc3\xa4<a href="</\xc3\xa4>">\xc3\xa4'],
	['a page that ends too soon', '<a href="/a">x</a><a href="/b', '<a href="</a>">x</a><a href="/b'],
	['no HTML', '1 < 2 && 3 > 2', '1 < 2 && 3 > 2'],
] as const)
	test(`links are changed: ${name}`, async (t) => {
		const bytes = Buffer.from(page, 'latin1');
		t.is(await rewritten([bytes]), want);
		t.is(await rewritten([...bytes].map((byte) => Buffer.of(byte))), want, 'byte by byte');
	});

test('a page is passed on as it comes, a link that never ends too', async (t) => {
	const links = new HtmlLinks((link) => `<${link}>`);
	const passed = (text: string): string => {
		links.write(text);
		return String(links.read() ?? '');
	};
	t.is(passed('<p>one <a hr'), '<p>one <a');
	t.is(passed('ef="/a">two'), ' href="</a>">two');
	t.is(passed('<a href="/'), '<a href');
	const endless = 'x'.repeat(600 << 10);
	t.is(passed(endless), '');
	t.is(passed(endless).length, `="/${endless}${endless}`.length);
	t.is(passed('"><a href="/b">'), '"><a href="/b">');
	links.destroy();
});
