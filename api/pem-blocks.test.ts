/** What is a block of PEM and what only looks like one; texts that nobody would write take no longer than others. */
import test from 'ava';
import { hasTrailer, pemBlocks } from './pem-blocks.ts';

const block = (type: string, body = 'MAA=\n', end = type): string => `-----BEGIN ${type}-----\n${body}-----END ${end}-----\n`;

for (const [what, text, want] of [
	['one', block('A'), ['A 3000']],
	['two, and what is between them', `x\n${block('A')}y\n${block('B')}`, ['A 3000', 'B 3000']],
	['empty', block('A', ''), ['A ']],
	['ends of lines with a return, blanks behind', block('A').replaceAll('\n', ' \t\r\n'), ['A 3000']],
	['headers', block('A', 'Proc-Type: 4,ENCRYPTED\nx: y\n\nMAA=\n'), ['A 3000 with headers']],
	['an older beginning without an end', `-----BEGIN A-----\nMAA=\n${block('B')}`, ['B 3000']],
	['another end', block('A', undefined, 'B'), []],
	['another end, then a whole one', block('A', undefined, 'B') + block('C'), ['C 3000']],
	['not at the beginning of a line', ` ${block('A')}`, []],
	['more on the line of the end', block('A').replace(/\n$/, ' x\n'), []],
	['no base64', block('A', 'MAA\n'), []],
	['nothing but headers', block('A', 'a: b\n').replace('\n-----END', '-----END'), []],
	['no end of the last line', block('A').trimEnd(), ['A 3000']],
] as const)
	test(`pemBlocks(): ${what}`, (t) =>
		t.deepEqual(
			pemBlocks(Buffer.from(text)).map(({ type, der, hasHeaders }) => `${type} ${der.toString('hex')}${hasHeaders ? ' with headers' : ''}`),
			want,
		));

for (const [text, want] of [
	[block('A'), false],
	[block('A').trimEnd(), false],
	[`${block('A')}x`, true],
	[`${block('A')}\n`, true],
	['', false],
	['x', true],
] as const)
	test(`hasTrailer(${JSON.stringify(text)})`, (t) => t.is(hasTrailer(Buffer.from(text)), want));

for (const [what, text] of [
	['ends of lines', `-----BEGIN A-----${'\n'.repeat(1_000_000)}`],
	['beginnings', '-----BEGIN A-----\n'.repeat(50_000)],
	['ends', '\n-----END A-----'.repeat(50_000)],
	['headers', `-----BEGIN A-----\n${'a:\n'.repeat(300_000)}-----END A-----`],
	['blanks', `-----BEGIN A-----${' '.repeat(1_000_000)}x\n-----END A-----`],
	['other ends', '-----BEGIN A-----\na:\n-----END B:'.repeat(30_000)],
] as const)
	test(`pemBlocks(): a megabyte of ${what} is read in the time of its length`, (t) => {
		t.timeout(5000);
		t.deepEqual(pemBlocks(Buffer.from(text)), []);
	});
