/**
 * The links of an HTML page, changed as it passes; everything else stays as it is, byte for byte. What is held back is a tag's name or one attribute: a page that has a longer one
 * passes unchanged from there.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { Tokenizer } from 'htmlparser2';

/** Which attributes of which tags are links (atomsToAttrs of upstream's apimachinery/pkg/util/proxy/transport.go). */
const LINKS = new Map<string, readonly string[]>([
	['a', ['href']],
	['applet', ['codebase']],
	['area', ['href']],
	['audio', ['src']],
	['base', ['href']],
	['blockquote', ['cite']],
	['body', ['background']],
	['button', ['formaction']],
	['command', ['icon']],
	['del', ['cite']],
	['embed', ['src']],
	['form', ['action']],
	['frame', ['longdesc', 'src']],
	['head', ['profile']],
	['html', ['manifest']],
	['iframe', ['longdesc', 'src']],
	['img', ['longdesc', 'src', 'usemap']],
	['input', ['src', 'usemap', 'formaction']],
	['ins', ['cite']],
	['link', ['href']],
	['object', ['classid', 'codebase', 'data', 'usemap']],
	['q', ['cite']],
	['script', ['src']],
	['source', ['src']],
	['video', ['poster', 'src']],
]);
const HELD_BYTES = 1 << 20;

/** `rewrite` gets the link as it stands in the page, references such as `&amp;` unread, a character for each byte. */
export class HtmlLinks extends Transform {
	readonly #rewrite: (link: string) => string;
	readonly #tokenizer: Tokenizer;
	/** Not yet passed on, and where in the page that begins. Bytes are characters here: all that HTML itself is made of is ASCII. */
	#held = '';
	#start = 0;
	/** Offset in the page up to which everything is settled. */
	#settled = 0;
	#attributes: readonly string[] = [];
	#inLink = false;
	/** Of the link, once it began. */
	#link: { readonly from: number; to: number } | undefined;
	#gaveUp = false;

	constructor(rewrite: (link: string) => string) {
		super();
		this.#rewrite = rewrite;
		const settle = (_: number, end: number): void => this.#settle(end);
		this.#tokenizer = new Tokenizer(
			{ decodeEntities: false },
			{
				onopentagname: (start, end) => {
					this.#attributes = LINKS.get(this.#text(start, end).toLowerCase()) ?? [];
					this.#settle(end);
				},
				onattribname: (start, end) => {
					this.#inLink = this.#attributes.includes(this.#text(start, end).toLowerCase());
					this.#settle(end);
				},
				onattribdata: (start, end) => {
					if (!this.#inLink) return this.#settle(end);
					this.#link ??= { from: start, to: end };
					this.#link.to = end;
				},
				onattribend: () => this.#endLink(),
				ontext: settle,
				onclosetag: settle,
				oncdata: settle,
				oncomment: settle,
				ondeclaration: settle,
				onprocessinginstruction: settle,
				onopentagend: (end) => this.#settle(end),
				onselfclosingtag: (end) => this.#settle(end),
				onattribentity: () => undefined,
				ontextentity: () => undefined,
				onend: () => undefined,
			},
		);
	}

	override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
		const text = chunk.toString('latin1');
		this.#held += text;
		if (!this.#gaveUp) this.#tokenizer.write(text);
		if (this.#held.length - (this.#settled - this.#start) > HELD_BYTES) this.#gaveUp = true;
		this.#pass(this.#gaveUp ? this.#start + this.#held.length : this.#settled);
		done();
	}

	override _flush(done: TransformCallback): void {
		this.#pass(this.#start + this.#held.length);
		done();
	}

	#endLink(): void {
		const link = this.#link;
		this.#link = undefined;
		this.#inLink = false;
		if (link === undefined) return;
		this.#pass(link.from);
		this.push(this.#rewrite(this.#text(link.from, link.to)), 'latin1');
		this.#held = this.#held.slice(link.to - this.#start);
		this.#start = link.to;
		this.#settle(link.to);
	}

	#settle(end: number): void {
		this.#settled = Math.max(this.#settled, end);
	}

	#text(start: number, end: number): string {
		return this.#held.slice(start - this.#start, end - this.#start);
	}

	/** On to the reader, up to there. */
	#pass(end: number): void {
		if (end <= this.#start) return;
		this.push(this.#text(this.#start, end), 'latin1');
		this.#held = this.#held.slice(end - this.#start);
		this.#start = end;
	}
}
