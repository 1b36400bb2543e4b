/** The blocks of a PEM text, as Go's encoding/pem finds them: in the time of its length, whatever it holds. Pure. */
import { isBase64 } from '../base/base64.ts';

export interface PemBlock {
	/** "CERTIFICATE", "PRIVATE KEY", … */
	readonly type: string;
	readonly hasHeaders: boolean;
	readonly der: Buffer;
}

const BEGIN = '-----BEGIN ';
const END = '\n-----END ';
const DASHES = '-----';

/** Whole blocks; what is between them, and what only looks like one, is passed over. */
export function pemBlocks(pem: Buffer): readonly PemBlock[] {
	const blocks: PemBlock[] = [];
	const text = pem.toString('latin1');
	for (let found = nextBlock(text, 0); found !== undefined; found = nextBlock(text, found.after)) blocks.push(found.block);
	return blocks;
}

/** Whether anything but the end of its line follows the last block. */
export function hasTrailer(pem: Buffer): boolean {
	const text = pem.toString('latin1');
	let after = 0;
	for (let found = nextBlock(text, 0); found !== undefined; found = nextBlock(text, after)) after = found.after;
	return after < text.length;
}

interface Found {
	readonly block: PemBlock;
	/** Where the line behind it begins. */
	readonly after: number;
}

/** The first END decides, with the last BEGIN before it: what is between an earlier one and it is looked at once. */
function nextBlock(text: string, from: number): Found | undefined {
	for (let at = from; ; ) {
		const end = text.indexOf(END, at);
		if (end < 0) return undefined;
		const begin = text.slice(at, end).lastIndexOf(BEGIN);
		if (begin === 0 || (begin > 0 && text[at + begin - 1] === '\n')) {
			const found = blockAt(text, at + begin + BEGIN.length, end);
			if (found !== undefined) return found;
		}
		at = end + END.length;
	}
}

/** @param start of its type @param end of what it holds, at the line's end before END */
function blockAt(text: string, start: number, end: number): Found | undefined {
	const first = lineAt(text, start);
	if (!first.line.endsWith(DASHES)) return undefined;
	const type = first.line.slice(0, -DASHES.length);
	let at = first.next;
	let hasHeaders = false;
	for (let line = lineAt(text, at); at <= end && line.line.includes(':'); line = lineAt(text, at)) {
		hasHeaders = true;
		at = line.next;
	}
	if (hasHeaders && at > end) return undefined;
	const closing = `${type}${DASHES}`;
	if (!text.startsWith(closing, end + END.length)) return undefined;
	const rest = lineAt(text, end + END.length + closing.length);
	if (rest.line !== '') return undefined;
	const base64 = text.slice(at, Math.max(at, end)).replace(/[ \t\r\n]/g, '');
	if (!isBase64(base64)) return undefined;
	return { block: { type, hasHeaders, der: Buffer.from(base64, 'base64') }, after: rest.next };
}

function lineAt(text: string, from: number): { readonly line: string; readonly next: number } {
	const end = text.indexOf('\n', from);
	if (end < 0) return { line: trimmed(text.slice(from)), next: text.length };
	return { line: trimmed(text.slice(from, end)), next: end + 1 };
}

/** By hand: a pattern would look at each blank inside of the line anew. */
function trimmed(line: string): string {
	let end = line.length;
	if (line[end - 1] === '\r') end--;
	while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
	return line.slice(0, end);
}
