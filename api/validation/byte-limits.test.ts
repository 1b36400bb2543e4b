/** Limits of texts count bytes, as Go's len does: a letter beyond ASCII is more than one. */
import test from 'ava';
import type { FieldError } from '../field-error.ts';
import type { CSINode } from '../gen/types.ts';
import { signerName } from './access/certificates.ts';
import { deviceSelectors } from './devices/selectors.ts';
import { driverName, jsonObject, poolName } from './devices/names.ts';
import { csiNode } from './storage/csi.ts';
import { csiDriver } from './storage/volume-plugins.ts';

const letters = (count: number): string => 'ü'.repeat(count);
const driver = (nodeID: string): CSINode => ({ metadata: { name: 'n' }, spec: { drivers: [{ name: 'd', nodeID }] } }) as unknown as CSINode;

for (const [what, limit, judge] of [
	["a driver's name of its node", 256, (out, text) => csiNode(out, driver(text))],
	['the name of a CSI driver', 63, (out, text) => csiDriver(out, 'x', text)],
	['the name of a DRA driver', 63, (out, text) => driverName(out, 'x', text)],
	['the name of a pool', 253, (out, text) => poolName(out, 'x', text)],
	['what only a driver understands', 10_240, (out, text) => jsonObject(out, 'x', text.slice(1))],
	['an expression', 10_240, (out, text) => deviceSelectors(out, 'x', [{ cel: { expression: text } }])],
	['the name of a signer', 571, (out, text) => signerName(out, 'x', `a/${text.slice(1)}`)],
] as readonly (readonly [string, number, (out: FieldError[], text: string) => void])[])
	test(`${what} may have ${limit} bytes`, (t) => {
		const judged = (text: string): boolean => {
			const out: FieldError[] = [];
			judge(out, text);
			return out.some(({ message }) => /may not be more than|characters or less/.test(message));
		};
		t.false(judged(letters(limit / 2 - 1)));
		t.true(judged(letters(limit / 2 + 1)));
	});
