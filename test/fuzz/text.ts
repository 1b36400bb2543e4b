/** Texts and bytes: from the words of a language, and valid ones with a few edits. */
import type { Choose } from './choose.ts';

/** What breaks readers of text: ends, escapes, other scripts, halves of pairs, names of objects' own things. */
export const NASTY = [
	...[
		'',
		' ',
		'\n',
		'\t',
		'\0',
		'"',
		"'",
		'\\',
		'/',
		'~0',
		'~1',
		'..',
		'-',
		'--',
		'*',
		'%',
		'$',
		'\u2028',
		'\u{1f600}',
		'\ud800',
		'é',
		'İ',
	],
	...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'true', 'NaN', 'Infinity', '-0', '1e400', '9007199254740993'],
	...[
		'9223372036854775808',
		'0x10',
		'00',
		'a'.repeat(300),
		'('.repeat(40),
		'['.repeat(40),
		'{"a":'.repeat(40),
		'metadata',
		'name',
		'$patch',
	],
];

/** One word after the other. */
export function words(choose: Choose, vocabulary: readonly string[], max: number): string {
	const glue = choose.chance(50) ? ' ' : '';
	return choose.several(max, () => (choose.chance(5) ? choose.pick(NASTY) : choose.pick(vocabulary))).join(glue);
}

/** A text, with up to four edits half of the time. */
export function edited(choose: Choose, text: string, vocabulary: readonly string[] = NASTY): string {
	if (choose.chance(50)) return text;
	for (let i = choose.upTo(3); i >= 0; i--) text = edit(choose, text, vocabulary);
	return text;
}

function edit(choose: Choose, text: string, vocabulary: readonly string[]): string {
	const at = choose.upTo(text.length);
	const end = Math.min(text.length, at + choose.upTo(8));
	switch (choose.pick(['insert', 'delete', 'replace', 'repeat', 'swap', 'cut'] as const)) {
		case 'insert':
			return text.slice(0, at) + choose.pick(choose.chance(20) ? NASTY : vocabulary) + text.slice(at);
		case 'delete':
			return text.slice(0, at) + text.slice(end);
		case 'replace':
			return text.slice(0, at) + choose.pick(vocabulary) + text.slice(end);
		case 'repeat':
			return text.slice(0, at) + text.slice(at, end).repeat(1 + choose.upTo(20)) + text.slice(at);
		case 'swap':
			return text.slice(end) + text.slice(at, end) + text.slice(0, at);
		case 'cut':
			return text.slice(0, at);
	}
}

/** Bytes, with up to four edits most of the time. */
export function editedBytes(choose: Choose, bytes: Buffer): Buffer {
	if (choose.chance(20)) return bytes;
	for (let i = choose.upTo(3); i >= 0; i--) bytes = editBytes(choose, bytes);
	return bytes;
}

/** Lengths, tags and varints that readers trip over. */
const PIECES = ['00', 'ff', '80', '7f', '0a00', 'ffffffff0f', 'ffffffffffffffffff01', '80808080808080808080', '0b', '0c', '0d', '12ff7f'];

function editBytes(choose: Choose, bytes: Buffer): Buffer {
	const at = choose.upTo(bytes.length);
	const end = Math.min(bytes.length, at + choose.upTo(16));
	const join = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);
	switch (choose.pick(['flip', 'insert', 'delete', 'repeat', 'cut', 'wrap'] as const)) {
		case 'flip': {
			const copy = Buffer.from(bytes);
			if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << choose.upTo(7));
			return copy;
		}
		case 'insert':
			return join(bytes.subarray(0, at), Buffer.from(choose.pick(PIECES), 'hex'), bytes.subarray(at));
		case 'delete':
			return join(bytes.subarray(0, at), bytes.subarray(end));
		case 'repeat':
			return join(bytes.subarray(0, at), ...Array.from({ length: 1 + choose.upTo(50) }, () => bytes.subarray(at, end)), bytes.subarray(at));
		case 'cut':
			return bytes.subarray(0, at);
		case 'wrap':
			return join(bytes.subarray(0, at), Buffer.from([0x0a, Math.min(127, end - at)]), bytes.subarray(at));
	}
}
